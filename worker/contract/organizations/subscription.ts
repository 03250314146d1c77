/** A stored subscription, and until when it gives PRO. Pure; used by both sides. `subscription-state.ts` has the state to show. */
import { paymentGraceMs } from '../limits.ts'

/** The stored part of a subscription, copied from Stripe. */
export type Subscription = {
  readonly id: string
  readonly status: string
  readonly currentPeriodEndMs: number
  readonly cancelAtPeriodEnd: boolean
  /** Present if only a part of the period is paid: the payment failed or was refunded. */
  readonly paidUntilMs?: number
  /** No further period is collected or granted while paused. */
  readonly isPaused?: true
  /** Members that an organization pays for. */
  readonly seats?: number
}

/** Epoch ms, exclusive. A due payment gets a grace period. A refunded or ended subscription does not. */
export function proUntilMs(subscription: Subscription): number {
  const { status, cancelAtPeriodEnd, currentPeriodEndMs, paidUntilMs, isPaused } = subscription
  if (status === 'past_due') return (paidUntilMs ?? currentPeriodEndMs) + paymentGraceMs
  const isRenewing = (status === 'active' || status === 'trialing') && !cancelAtPeriodEnd && !isPaused && paidUntilMs === undefined
  return (paidUntilMs ?? currentPeriodEndMs) + (isRenewing ? paymentGraceMs : 0)
}

export const givesPro = (subscription: Subscription, nowMs: number): boolean => proUntilMs(subscription) > nowMs

/** True if it still exists at Stripe. A second subscription would be charged in addition. */
export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  !['canceled', 'incomplete', 'incomplete_expired'].includes(status)
