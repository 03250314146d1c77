/** Stripe's way to say that something is not there, as a value; every other failure stays one. */
import Stripe from 'stripe'

export function nullWhenMissing(error: unknown): null {
  if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null
  throw error
}
