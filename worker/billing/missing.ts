/** Turns Stripe's `resource_missing` error into null and rethrows every other error. */
import Stripe from 'stripe'

export function nullWhenMissing(error: unknown): null {
  if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null
  throw error
}
