/** The sentence of a refusal in the language of the page, chosen by its code. */
import { formatDate, formatLimitBytes } from '../i18n/intl-format.ts'
import { type AnyRefusal, isSendingCode, sendingSentence } from './sending-sentence.ts'
import { refusalText } from './texts/t.ts'

export function refusalSentence(refused: AnyRefusal): string {
  const { code, values: { heldBytes, untilMs } = {} } = refused
  if (code === 'storage_held' && heldBytes !== undefined && untilMs !== undefined)
    return refusalText('storage_held_by', { size: formatLimitBytes(heldBytes), date: formatDate(untilMs, 'long') })
  return isSendingCode(code) ? (sendingSentence(refused) ?? code) : refusalText(code)
}
