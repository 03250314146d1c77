import { catalogue } from '../../../lib/i18n/text-catalogue.ts'

/** Texts of the PRO dialog and the return from the checkout. English, in ICU syntax. */
export const en = {
  upgradeToPro: 'Upgrade to PRO',
  insteadOf: 'Instead of',
  aMonth: 'a month',
  saveOver70: 'Save over 70% against separate chat subscriptions.',
  proModels: 'Access to PRO models',
  researchTool: 'Access to the research tool',
  higherLimits: 'Higher limits for search',
  creditsDaily: '{credits, number} Credits daily',
  createAccount: 'Create account to get {credits, number} credits daily and access to more models',
  logInToKeep: 'Log in to keep your threads and use more models.',
  getStarted: 'Get Started',
  hasPro: 'You have PRO now',
  hasProDetail: 'All models are available on all your devices.',
  processing: 'Your payment is being processed',
  processingDetail: 'PRO starts automatically when the payment is confirmed.',
  subscribed: 'You already have a subscription',
  subscribedDetail: 'Nothing was charged. You can manage the subscription here.',
  noCustomer: 'There is no subscription to manage',
  checkoutBusy: 'A payment is already being prepared',
  checkoutBusyDetail: 'Try again in {seconds, plural, one {# second} other {# seconds}}. Nothing was charged twice.',
  checkoutFailed: 'The payment page could not be opened',
  checkoutFailedDetail: 'Nothing was charged. Try again in a moment.',
} as const

export const t = catalogue('billing', en)
