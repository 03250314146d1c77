/** The notice on the daily credits above the composer. */
import type { CreditState, Plan } from '../../../../worker/contract/access.ts'
import { type Refusal, refusal } from '../../../../worker/contract/errors.ts'
import { resetTime } from '../../../lib/format.ts'

export type UsageBanner = {
  readonly text: string
  /** False for PRO: there is no larger plan. */
  readonly offersUpgrade: boolean
  readonly isExhausted: boolean
}

/** The exhausted daily allowance by refusal code. */
const spent: { readonly [code: string]: string } = {
  credits_exhausted: 'Credits',
  credits_short: 'Credits',
  tool_limit_reached: 'They',
}

/** The refusal with the reset time, if it is known. */
export function refusalText({ code, message }: { readonly code: string; readonly message: string }, nowMs: number): string {
  const what = spent[code]
  return what ? `${message}. ${what} are back at ${resetTime(nowMs)}.` : message
}

/** Explains why a message is sent as Chat instead of in the selected mode. */
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
