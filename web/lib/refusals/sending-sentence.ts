/** Sentences of the refusals that the first screen shows. The others load later, with `sentence.ts`. */
import type { RefusalCode, RefusalValues } from '../../../worker/contract/errors.ts'
import { en, sendingText } from './sending/texts/en.ts'

/** `offline` is a code of the client. */
export type AnyRefusal = { readonly code: RefusalCode | 'offline'; readonly values?: RefusalValues | undefined }

type SendingCode = Extract<AnyRefusal['code'], keyof typeof en>

export const isSendingCode = (code: AnyRefusal['code']): code is SendingCode => code in en

/** Undefined for a refusal that cannot prevent sending. */
export function sendingSentence({ code, values = {} }: AnyRefusal): string | undefined {
  const { credits, left, limit, max, excess } = values
  if (code === 'credits_above_day' && credits !== undefined && limit !== undefined)
    return sendingText('credits_above_day_by', { credits, limit })
  if (code === 'credits_short' && credits !== undefined && left !== undefined) return sendingText('credits_short_by', { credits, left })
  if (code === 'message_too_long' && max !== undefined && excess !== undefined) return sendingText('message_too_long_by', { max, excess })
  return isSendingCode(code) ? sendingText(code) : undefined
}
