/** What the composer says about a refusal. */
import { resetTime } from '../../../lib/format.ts'
import { type AnyRefusal, refusalSentence } from '../../../lib/refusals/sentence.ts'
import { t } from './texts/t.ts'

/** Refusals that end with the reset of the daily limits. */
const endsAtReset: ReadonlySet<string> = new Set(['credits_exhausted', 'credits_short', 'tool_limit_reached'])

/** The sentence of the refusal, with the reset time if it ends then. */
export function refusalText(refused: AnyRefusal, nowMs: number): string {
  const reason = refusalSentence(refused)
  return endsAtReset.has(refused.code) ? t('withReset', { reason, time: resetTime(nowMs) }) : reason
}
