/** The text of a refusal that ends with the reset of the daily limits. Separate from `notices.tsx`, because the first screen loads this file. */
import { isResolvedBy } from '../../../../worker/contract/errors.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { resetTime } from '../../../lib/reset-time.ts'
import { t } from './texts/en.ts'

/** The sentence of the refusal, with the reset time if it ends then. */
export const withResetTime = (code: AnyRefusal['code'], sentence: string, nowMs: number): string =>
  isResolvedBy(code, 'reset') ? t('withReset', { reason: sentence, time: resetTime(nowMs) }) : sentence
