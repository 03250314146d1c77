/** Texts about a subscription, for its user or for the members of the organization that pays. */
import { isLive, type Subscription, type SubscriptionState, subscriptionState } from '../../worker/contract/subscription.ts'

export type SubscriptionWords = {
  readonly badge: { readonly tone: 'accent' | 'warning' | 'danger'; readonly text: string } | null
  readonly sentence: string
  /** Label of the button that manages the subscription. */
  readonly manage: { readonly label: string; readonly isUrgent: boolean }
}

/** `isCovered`: an organization also pays for the user, who keeps PRO without this subscription. */
export function subscriptionWords(subscription: Subscription, nowMs: number, isCovered = false): SubscriptionWords {
  const state = subscriptionState(subscription, nowMs)
  const isUrgent = state.kind === 'past-due' || (state.kind === 'unpaid' && isLive(subscription))
  const label = state.kind === 'ends' && state.canResume ? 'Resume or manage' : isUrgent ? 'Update payment' : 'Manage subscription'
  const manage = { label, isUrgent }
  // A badge next to the plan's name would appear to describe the plan.
  if (isCovered) return { badge: null, sentence: coveredSentenceFor(state), manage }
  return { badge: badgeFor(state), sentence: sentenceFor(state, nowMs), manage }
}

function badgeFor(state: SubscriptionState): SubscriptionWords['badge'] {
  switch (state.kind) {
    case 'renews':
      return { tone: 'accent', text: 'Active' }
    case 'ends':
      return { tone: 'warning', text: 'Ending' }
    case 'past-due':
      return { tone: 'danger', text: 'Payment failed' }
    case 'paused':
      return { tone: 'warning', text: 'Paused' }
    case 'unpaid':
      return { tone: 'danger', text: 'Unpaid' }
    case 'ended':
      return null
  }
}

const day = (atMs: number): string => new Date(atMs).toLocaleDateString(undefined, { dateStyle: 'long' })

function sentenceFor(state: SubscriptionState, nowMs: number): string {
  switch (state.kind) {
    case 'renews':
      return `Renews on ${day(state.atMs)}.`
    case 'ends':
      return `Ends on ${day(state.atMs)}. Until then you keep PRO.`
    case 'past-due':
      return state.untilMs > nowMs
        ? `The last payment failed. Update the payment method by ${day(state.untilMs)} to keep PRO.`
        : 'The last payment failed. Update the payment method to have PRO again.'
    case 'paused':
      return state.untilMs > nowMs
        ? `Payments are paused. What was paid gives you PRO until ${day(state.untilMs)}.`
        : 'Payments are paused, and PRO with them.'
    case 'unpaid':
      return 'The last payment was not made or was returned, so there is no PRO at the moment.'
    case 'ended':
      return `The subscription ended on ${day(state.atMs)}.`
  }
}

function coveredSentenceFor(state: SubscriptionState): string {
  switch (state.kind) {
    case 'renews':
      return `Your own subscription renews on ${day(state.atMs)}.`
    case 'ends':
      return `Your own subscription ends on ${day(state.atMs)}.`
    case 'past-due':
      return 'The last payment of your own subscription failed.'
    case 'paused':
      return 'Payments of your own subscription are paused.'
    case 'unpaid':
      return 'The last payment of your own subscription was not made or was returned.'
    case 'ended':
      return `Your own subscription ended on ${day(state.atMs)}.`
  }
}
