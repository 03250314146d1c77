/** A subscription as pages show it, to its user or to the members of the organization that pays: its texts, the price and the link to the checkout. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import {
  defaultProPrice,
  type ProPrice,
  priceBodySchema,
  savesOver70Percent,
  separateDollars,
} from '../../worker/contract/organizations/pro-price.ts'
import { isLive, type Subscription } from '../../worker/contract/organizations/subscription.ts'
import { type SubscriptionState, subscriptionState } from '../../worker/contract/organizations/subscription-state.ts'
import { formatDollars } from './format.ts'
import { formatPrice } from './format-price.ts'
import { formatDate } from './i18n/format-dates.ts'
import { publicUrls } from './public-urls.ts'
import { createStore, useStore } from './store.ts'
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

const price = createStore<ProPrice>(defaultProPrice)
let isRequested = false

/** `separate` is the price to compare with; null when PRO does not save over 70% of it. */
type ShownPrice = { readonly price: string; readonly separate: string | null }

/** The price at Stripe. $25.00 until the server responds, and if Stripe does not respond. */
export function useProPrice(): ShownPrice {
  useEffect(() => void load(), [])
  const shown = useStore(price)
  return { price: formatPrice(shown), separate: savesOver70Percent(shown) ? formatDollars(separateDollars) : null }
}

/** Once per page; a failed request is repeated by the next component that shows the price. */
async function load(): Promise<void> {
  if (isRequested) return
  isRequested = true
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/price`)
    const known = priceBodySchema.parse(await response.json()).price
    if (known === null) isRequested = false
    else price.set(known)
  } catch {
    isRequested = false
  }
}

type CheckoutLinkProps = { readonly isGuest: boolean; readonly className: string; readonly children: ReactNode }

/** A link to the payment page. Payment requires an account: a guest logs in first and then continues to the payment page. */
export function CheckoutLink({ isGuest, className, children }: CheckoutLinkProps) {
  if (isGuest) {
    return (
      <Link to="/login" search={{ callbackUrl: '/api/checkout' }} className={className}>
        {children}
      </Link>
    )
  }
  return (
    <a href={checkoutHref} className={className}>
      {children}
    </a>
  )
}

const checkoutHref = `/api/checkout?${new URLSearchParams({ redirectUrl: '/account/subscription' })}`
