import type { AnyRefusal } from '../../web/lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../web/lib/refusals/sentence.ts'

/** The English sentence of a refusal without values of its own. */
export const sentenceOf = (code: AnyRefusal['code']): string => refusalSentence({ code })
