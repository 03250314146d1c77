/** The state of a stored subscription that is shown. Pure. Not in `subscription.ts`, because the first screen does not show it. */
import { givesPro, proUntilMs, type Subscription } from './subscription.ts'

export type SubscriptionState =
  /** Renews automatically. */
  | { readonly kind: 'renews'; readonly atMs: number }
  /** Cancelled; PRO lasts until the end of the paid period. */
  | { readonly kind: 'ends'; readonly atMs: number; readonly canResume: boolean }
  /** A payment failed and is retried. PRO pauses at `untilMs`. */
  | { readonly kind: 'past-due'; readonly untilMs: number }
  /** Collection is paused. PRO ends at `untilMs` unless it resumes. */
  | { readonly kind: 'paused'; readonly untilMs: number }
  /** Never paid, or refunded. It gives no PRO but may still exist at Stripe. */
  | { readonly kind: 'unpaid' }
  | { readonly kind: 'ended'; readonly atMs: number }

export function subscriptionState(subscription: Subscription, nowMs: number): SubscriptionState {
  const { status, cancelAtPeriodEnd, currentPeriodEndMs, paidUntilMs = currentPeriodEndMs, isPaused } = subscription
  const isPaid = givesPro(subscription, nowMs)
  switch (status) {
    case 'active':
    case 'trialing':
      if (isPaused) return { kind: 'paused', untilMs: paidUntilMs }
      if (!isPaid) return { kind: 'unpaid' }
      return cancelAtPeriodEnd ? { kind: 'ends', atMs: paidUntilMs, canResume: true } : { kind: 'renews', atMs: currentPeriodEndMs }
    case 'past_due':
      return { kind: 'past-due', untilMs: proUntilMs(subscription) }
    case 'paused':
      return { kind: 'paused', untilMs: paidUntilMs }
    case 'canceled':
      return isPaid
        ? { kind: 'ends', atMs: paidUntilMs, canResume: false }
        : { kind: 'ended', atMs: Math.min(paidUntilMs, currentPeriodEndMs) }
    case 'unpaid':
      return { kind: 'unpaid' }
    default:
      return { kind: 'ended', atMs: paidUntilMs }
  }
}

/** True if Stripe will collect a further payment. */
export function willBeCharged(subscription: Subscription, nowMs: number): boolean {
  const { kind } = subscriptionState(subscription, nowMs)
  return kind === 'renews' || kind === 'past-due'
}
