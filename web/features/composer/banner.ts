/** What the composer says about the day's credits before anybody asks. */
import type { CreditState, Plan } from '../../../worker/contract/access.ts'

export type UsageBanner = {
  readonly text: string
  /** PRO has nowhere to go but tomorrow. */
  readonly offersUpgrade: boolean
  readonly isExhausted: boolean
}

export function usageBanner(plan: Plan, { used, limit, warn }: CreditState): UsageBanner | null {
  if (!warn) return null
  const isExhausted = used >= limit
  return {
    text: isExhausted ? 'Daily usage limit reached' : `${Math.floor((used / limit) * 100)}% of daily usage used`,
    offersUpgrade: plan !== 'pro',
    isExhausted,
  }
}
