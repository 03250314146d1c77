/** Interprets a stored subscription: until when it gives PRO, and the state to show. Pure; used by both sides. */
import { paymentGraceMs } from './limits.ts'

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

/** True if it still exists at Stripe. A second subscription would be charged in addition. */
export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  !['canceled', 'incomplete', 'incomplete_expired'].includes(status)
