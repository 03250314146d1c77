/** What the composer says about the day's credits before anybody asks. */
import type { CreditState, Plan } from '../../../worker/contract/access.ts'
import { type Refusal, refusal } from '../../../worker/contract/errors.ts'
import { resetTime } from '../../lib/reset-time.ts'

export type UsageBanner = {
  readonly text: string
  /** PRO has nowhere to go but tomorrow. */
  readonly offersUpgrade: boolean
  readonly isExhausted: boolean
}

/** What the day has no more of. */
const spent: { readonly [code: string]: string } = {
  credits_exhausted: 'Credits',
  credits_short: 'Credits',
  tool_limit_reached: 'They',
}

/** The sentence of the refusal, and until when, if that is known. */
export function refusalText({ code, message }: { readonly code: string; readonly message: string }, nowMs: number): string {
  const what = spent[code]
  return what ? `${message}. ${what} are back at ${resetTime(nowMs)}.` : message
}

/** Why a message does not go the way that was chosen, and which way it goes. */
export const asChatText = (leftOut: Refusal, nowMs: number): string =>
  `${refusalText(leftOut, nowMs).replace(/(?<!\.)$/, '.')} Your message goes as Chat.`

export function usageBanner(plan: Plan, { used, limit, warn }: CreditState, nowMs: number): UsageBanner | null {
  if (!warn) return null
  const isExhausted = used >= limit
  return {
    text: isExhausted ? refusalText(refusal('credits_exhausted'), nowMs) : `${Math.floor((used / limit) * 100)}% of daily usage used`,
    offersUpgrade: plan !== 'pro',
    isExhausted,
  }
}
