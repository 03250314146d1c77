/** The sentence of a refusal in the language of the page, chosen by its code. */
import type { RefusalCode, RefusalValues } from '../../../worker/contract/errors.ts'
import { formatDate, formatLimitBytes } from '../i18n/intl-format.ts'
import { refusalText } from './texts/t.ts'

/** `offline` is a code of the client. */
export type AnyRefusal = { readonly code: RefusalCode | 'offline'; readonly values?: RefusalValues | undefined }

export function refusalSentence({ code, values = {} }: AnyRefusal): string {
  const { credits, left, max, excess, heldBytes, untilMs } = values
  if (code === 'credits_short' && credits !== undefined && left !== undefined) return refusalText('credits_short_by', { credits, left })
  if (code === 'message_too_long' && max !== undefined && excess !== undefined) return refusalText('message_too_long_by', { max, excess })
  if (code === 'storage_held' && heldBytes !== undefined && untilMs !== undefined)
    return refusalText('storage_held_by', { size: formatLimitBytes(heldBytes), date: formatDate(untilMs, 'long') })
  return refusalText(code)
}
