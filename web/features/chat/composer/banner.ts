/** The notice on the daily credits above the composer. */
import type { CreditState, Plan } from '../../../../worker/contract/access.ts'
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import type { AnyRefusal } from '../../../lib/refusals/sending-sentence.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { withResetTime } from './refusal-text.ts'
import { t } from './texts/t.ts'

export type UsageBanner = {
  readonly text: string
  /** False for PRO: there is no larger plan. */
  readonly offersUpgrade: boolean
  readonly isExhausted: boolean
}

export const refusalText = (refused: AnyRefusal, nowMs: number): string => withResetTime(refused.code, refusalSentence(refused), nowMs)

/** Explains why a message is sent as Chat instead of in the selected mode. */
export const asChatText = (leftOut: Refusal, nowMs: number): string =>
  t('sentAsChat', { reason: refusalText(leftOut, nowMs).replace(/(?<!\.)$/, '.') })

export function usageBanner(plan: Plan, { used, limit, warn }: CreditState, nowMs: number): UsageBanner | null {
  if (!warn) return null
  const isExhausted = used >= limit
  return {
    text: isExhausted
      ? refusalText(refusal('credits_exhausted'), nowMs)
      : t('usageShare', { share: Math.floor((used / limit) * 100) / 100 }),
    offersUpgrade: plan !== 'pro',
    isExhausted,
  }
}
