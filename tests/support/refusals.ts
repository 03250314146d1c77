// English sentences of all refusals, by code, with their limits.
import { refusalSentence } from '../../web/lib/refusals/sentence.ts'
import { en as sending } from '../../web/lib/refusals/sending/texts/en.ts'
import { en as others } from '../../web/lib/refusals/texts/en.ts'

type Code = Parameters<typeof refusalSentence>[0]['code']

const codes = Object.keys({ ...sending, ...others }) as Code[]

export const refusals = Object.fromEntries(codes.map((code) => [code, refusalSentence({ code })])) as { readonly [key in Code]: string }
