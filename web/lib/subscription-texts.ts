/** Texts about a subscription, for its user or for the members of the organization that pays. */
import { isLive, type Subscription } from '../../worker/contract/subscription.ts'
import { type SubscriptionState, subscriptionState } from '../../worker/contract/subscription-state.ts'
import { formatDate } from './i18n/intl-format.ts'
import { libText } from './texts/en.ts'

type SubscriptionTexts = {
  readonly badge: { readonly tone: 'accent' | 'warning' | 'danger'; readonly text: string } | null
  readonly sentence: string
  /** Label of the button that manages the subscription. */
  readonly manage: { readonly label: string; readonly isUrgent: boolean }
}

/** `isCovered`: an organization also pays for the user, who keeps PRO without this subscription. */
export function subscriptionWords(subscription: Subscription, nowMs: number, isCovered = false): SubscriptionTexts {
  const state = subscriptionState(subscription, nowMs)
  const isUrgent = state.kind === 'past-due' || (state.kind === 'unpaid' && isLive(subscription))
  const label =
    state.kind === 'ends' && state.canResume ? libText('resumeOrManage') : libText(isUrgent ? 'updatePayment' : 'manageSubscription')
  const manage = { label, isUrgent }
  // A badge next to the plan's name would appear to describe the plan.
  if (isCovered) return { badge: null, sentence: coveredSentenceFor(state), manage }
  return { badge: badgeFor(state), sentence: sentenceFor(state, nowMs), manage }
}

function badgeFor(state: SubscriptionState): SubscriptionTexts['badge'] {
  switch (state.kind) {
    case 'renews':
      return { tone: 'accent', text: libText('active') }
    case 'ends':
      return { tone: 'warning', text: libText('ending') }
    case 'past-due':
      return { tone: 'danger', text: libText('paymentFailed') }
    case 'paused':
      return { tone: 'warning', text: libText('paused') }
    case 'unpaid':
      return { tone: 'danger', text: libText('unpaid') }
    case 'ended':
      return null
  }
}

const day = (atMs: number): string => formatDate(atMs, 'long')

function sentenceFor(state: SubscriptionState, nowMs: number): string {
  switch (state.kind) {
    case 'renews':
      return libText('renewsOn', { date: day(state.atMs) })
    case 'ends':
      return libText('endsOn', { date: day(state.atMs) })
    case 'past-due':
      return state.untilMs > nowMs ? libText('pastDueUntil', { date: day(state.untilMs) }) : libText('pastDue')
    case 'paused':
      return state.untilMs > nowMs ? libText('pausedUntil', { date: day(state.untilMs) }) : libText('subscriptionPaused')
    case 'unpaid':
      return libText('lastUnpaid')
    case 'ended':
      return libText('endedOn', { date: day(state.atMs) })
  }
}

function coveredSentenceFor(state: SubscriptionState): string {
  switch (state.kind) {
    case 'renews':
      return libText('ownRenewsOn', { date: day(state.atMs) })
    case 'ends':
      return libText('ownEndsOn', { date: day(state.atMs) })
    case 'past-due':
      return libText('ownPastDue')
    case 'paused':
      return libText('ownPaused')
    case 'unpaid':
      return libText('ownUnpaid')
    case 'ended':
      return libText('ownEndedOn', { date: day(state.atMs) })
  }
}
