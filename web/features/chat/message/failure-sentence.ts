/** The sentence of a failed or interrupted answer, chosen by its code. */
import { isRefusalCode } from '../../../../worker/contract/errors.ts'
import { generationMaxMs } from '../../../../worker/contract/limits.ts'
import type { AnswerMetadata, RefusedFile } from '../../../../worker/contract/threads/messages.ts'
import { formatList, formatNumber } from '../../../lib/i18n/intl-format.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { t } from './texts/en.ts'

type Failure = NonNullable<AnswerMetadata['failure']>

/** Null for a code of a newer server version. */
export function failureSentence({ code, retryInMs, files = [] }: Failure): string | null {
  if (isRefusalCode(code)) return refusalSentence({ code })
  switch (code) {
    case 'model_busy':
      return retryInMs === undefined ? t('model_busy') : t('model_busy_for', { duration: durationText(retryInMs) })
    case 'answer_too_slow':
      return t('answer_too_slow', { minutes: generationMaxMs / 60_000 })
    case 'file_refused':
      return t('file_refused', { count: files.length, names: refusedNames(files) })
    case 'model_refused_key':
    case 'model_out_of_funds':
    case 'model_error':
    case 'model_unreachable':
    case 'model_silent':
    case 'model_nonsense':
    case 'model_no_stream':
    case 'conversation_too_long':
    case 'model_length':
    case 'model_filtered':
    case 'model_empty':
    case 'search_failed':
    case 'answer_too_long':
    case 'made_file_too_large':
    case 'made_file_not_kept':
      return t(code)
    default:
      return null
  }
}

/** A file that a model made has no name. */
export const refusedNames = (files: readonly RefusedFile[]): string => formatList(files.map(({ name }) => name || t('madePicture')))

/** Rounded up, so that the model is free at that time. */
function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return unitText(seconds <= 10 ? seconds : Math.ceil(seconds / 10) * 10, 'second')
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 100) return unitText(minutes, 'minute')
  const hours = Math.ceil(minutes / 60)
  return hours < 48 ? unitText(hours, 'hour') : unitText(Math.ceil(hours / 24), 'day')
}

const unitText = (count: number, unit: 'second' | 'minute' | 'hour' | 'day'): string =>
  formatNumber(count, { style: 'unit', unit, unitDisplay: 'long' })
