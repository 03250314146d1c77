/** What a stored subscription means to a person: how long it gives PRO, and what there is to say about it. Pure; both sides read it. */
import { paymentGraceMs } from './limits.ts'

/** What we keep of a paid subscription; the payment company's object is the truth it is copied from. */
export type Subscription = {
  readonly id: string
  readonly status: string
  readonly currentPeriodEndMs: number
  readonly cancelAtPeriodEnd: boolean
  /** Until when it has been paid for, where that is not the whole period: the payment failed, or was given back. */
  readonly paidUntilMs?: number
  /** No further period is collected, nor given, until that changes. */
  readonly isPaused?: true
  /** The members an organization pays for. */
  readonly seats?: number
}

/** Exclusive, epoch ms. What is due may still be on its way; what was given back or has been ended is not waited for. */
export function proUntilMs(subscription: Subscription): number {
  const { status, cancelAtPeriodEnd, currentPeriodEndMs, paidUntilMs, isPaused } = subscription
  if (status === 'past_due') return (paidUntilMs ?? currentPeriodEndMs) + paymentGraceMs
  const isRenewing = (status === 'active' || status === 'trialing') && !cancelAtPeriodEnd && !isPaused && paidUntilMs === undefined
  return (paidUntilMs ?? currentPeriodEndMs) + (isRenewing ? paymentGraceMs : 0)
}

export const givesPro = (subscription: Subscription, nowMs: number): boolean => proUntilMs(subscription) > nowMs

export type SubscriptionState =
  /** It goes on by itself. */
  | { readonly kind: 'renews'; readonly atMs: number }
  /** It was cancelled, and what was paid lasts until then. */
  | { readonly kind: 'ends'; readonly atMs: number; readonly canResume: boolean }
  /** A payment failed and is tried again; `untilMs` is when PRO pauses. */
  | { readonly kind: 'past-due'; readonly untilMs: number }
  /** Nothing more is collected, nor given after `untilMs`, until that changes. */
  | { readonly kind: 'paused'; readonly untilMs: number }
  /** Started but never paid, or given back: it gives nothing, and may still exist. */
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

/** Whether whoever pays it is going to be asked for a further payment. */
export function willBeCharged(subscription: Subscription, nowMs: number): boolean {
  const { kind } = subscriptionState(subscription, nowMs)
  return kind === 'renews' || kind === 'past-due'
}

/** Still alive at the payment company: a second one beside it would be charged as well. */
export const isLive = ({ status }: Pick<Subscription, 'status'>): boolean =>
  !['canceled', 'incomplete', 'incomplete_expired'].includes(status)
