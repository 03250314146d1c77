/** What the composer says about the day's credits before anybody asks. */
import type { CreditState, Plan } from '../../../worker/contract/access.ts'
import { refusals } from '../../../worker/contract/errors.ts'
import { resetTime } from '../../lib/reset-time.ts'

export type UsageBanner = {
  readonly text: string
  /** PRO has nowhere to go but tomorrow. */
  readonly offersUpgrade: boolean
  readonly isExhausted: boolean
}

/** The sentence of the refusal, and until when. */
export const exhaustedText = (nowMs: number): string => `${refusals.credits_exhausted}. Credits are back at ${resetTime(nowMs)}.`

export function usageBanner(plan: Plan, { used, limit, warn }: CreditState, nowMs: number): UsageBanner | null {
  if (!warn) return null
  const isExhausted = used >= limit
  return {
    text: isExhausted ? exhaustedText(nowMs) : `${Math.floor((used / limit) * 100)}% of daily usage used`,
    offersUpgrade: plan !== 'pro',
    isExhausted,
  }
}
