// English sentences of all refusals, by code.
import { en as sending } from '../../web/lib/refusals/sending/texts/en.ts'
import { en as others } from '../../web/lib/refusals/texts/en.ts'

export const refusals = { ...sending, ...others }
