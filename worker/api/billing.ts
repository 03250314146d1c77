/**
 * GET /api/checkout, /api/checkout/success, /api/customer-portal and /api/customer-portal/return: redirects to Stripe's pages and back.
 * Browsers navigate here, so a failure redirects back with a message. Every return reads the subscription from Stripe first, so that the
 * next page shows the current state.
 */
import type { SessionViewer } from '../auth/session.ts'
import { type Billing, billingFor, readProPrice } from '../billing/billing.ts'
import { portalUrl, readCheckout, startCheckout } from '../billing/checkout.ts'
import { BillingBusyError } from '../billing/lease.ts'
import { syncOwner } from '../billing/subscription.ts'
import { receiveWebhook } from '../billing/webhook.ts'
import type { RefusalCode } from '../contract/errors.ts'
import type { CheckoutResult } from '../contract/http.ts'
import { idSchema } from '../contract/ids.ts'
import type { PriceBody } from '../contract/organizations/pro-price.ts'
import { givesPro } from '../contract/organizations/subscription.ts'
import { ownPath } from '../contract/own-path.ts'
import { type Owner, readOwner, readRole } from '../db/customers.ts'
import { directoryDb } from '../db/shards.ts'
import { logger } from '../lib/logger.ts'
import { type AppContext, originOf, readViewer, refuseWith } from './http.ts'

const homePath = '/account/subscription'

export async function handleCheckout(c: AppContext): Promise<Response> {
  const request = await checkoutRequestOf(c)
  if (request instanceof Response) return request
  const { billing, owner, path } = request
  try {
    const checkout = await startCheckout(billing, owner, { origin: originOf(c), path })
    return checkout.kind === 'checkout' ? c.redirect(checkout.url, 303) : goBack(c, path, 'subscribed')
  } catch (error) {
    return failed(c, path, error)
  }
}

export async function handlePortal(c: AppContext): Promise<Response> {
  const request = await checkoutRequestOf(c)
  if (request instanceof Response) return request
  const { billing, owner, path } = request
  const query = new URLSearchParams({ redirectUrl: path, ...(owner.kind === 'organization' && { organizationId: owner.id }) })
  try {
    const url = await portalUrl(billing, owner, `${originOf(c)}/api/customer-portal/return?${query}`)
    return url === null ? goBack(c, path, 'no-customer') : c.redirect(url, 303)
  } catch (error) {
    return failed(c, path, error)
  }
}

export async function handlePortalReturn(c: AppContext): Promise<Response> {
  const request = await checkoutRequestOf(c)
  return request instanceof Response ? request : syncAndGoBack(c, request)
}

export async function handleCheckoutSuccess(c: AppContext): Promise<Response> {
  const billing = billingFor(c.env, c.var.settings)
  if (!billing) return refuseWith(c, 'not_configured')
  const viewer = await readViewer(c)
  if (!viewer || viewer.isAnonymous) return toLogin(c)
  const sessionId = c.req.query('session_id') ?? ''
  const checkout = checkoutIds.test(sessionId) ? await readCheckout(billing, sessionId).catch(unread) : 'unread'
  // Stripe is unreachable now. Its webhook event will report the payment.
  if (checkout === 'unread') return goBack(c, homePath, 'pending')
  const owner = checkout && (await readOwner(billing.db, checkout.customerId))
  if (!owner) return refuseWith(c, 'not_found')
  const isOwn = owner.kind === 'user' ? owner.id === viewer.userId : typeof (await mayPayFor(c, owner.id, viewer.userId)) === 'object'
  if (!isOwn) return refuseWith(c, 'not_found')
  return syncAndGoBack(c, { billing, owner, path: ownPath(checkout.path, originOf(c), homePath) }, 'done')
}

/** The id comes from a URL that anybody can write. An invalid id causes no request to Stripe. */
const checkoutIds = /^cs_\w{1,200}$/

function unread(error: unknown): 'unread' {
  logger.error('checkout_not_read', error)
  return 'unread'
}

type CheckoutRequest = { readonly billing: Billing; readonly owner: Owner; readonly path: string }

/** Guests log in before they pay, and then return to the checkout. */
async function checkoutRequestOf(c: AppContext): Promise<CheckoutRequest | Response> {
  const billing = billingFor(c.env, c.var.settings)
  if (!billing) return refuseWith(c, 'not_configured')
  const viewer = await readViewer(c)
  if (!viewer || viewer.isAnonymous) return toLogin(c)
  const owner = await payerFor(c, viewer)
  if (typeof owner === 'string') return refuseWith(c, owner)
  return { billing, owner, path: ownPath(c.req.query('redirectUrl'), originOf(c), homePath) }
}

function toLogin(c: AppContext): Response {
  const { pathname, search } = new URL(c.req.url)
  return c.redirect(`/login?${new URLSearchParams({ callbackUrl: pathname + search })}`, 303)
}

async function syncAndGoBack(c: AppContext, { billing, owner, path }: CheckoutRequest, result?: CheckoutResult): Promise<Response> {
  try {
    const subscription = await syncOwner(billing, owner)
    const isPaid = subscription !== null && givesPro(subscription, billing.clock())
    return goBack(c, path, result === 'done' && !isPaid ? 'pending' : (result ?? 'returned'))
  } catch (error) {
    // The payment succeeded. Stripe's webhook event will report it.
    logger.error('checkout_not_read', error)
    return goBack(c, path, 'pending')
  }
}

function failed(c: AppContext, path: string, error: unknown): Response {
  if (error instanceof BillingBusyError) return goBack(c, path, 'busy', error.retryAfterS)
  logger.error('stripe_failed', error)
  return goBack(c, path, 'failed')
}

function goBack(c: AppContext, path: string, result: CheckoutResult, retryAfterS?: number): Response {
  const url = new URL(originOf(c) + path)
  url.searchParams.set('checkout', result)
  if (retryAfterS !== undefined) url.searchParams.set('retryAfterS', String(retryAfterS))
  return c.redirect(url.href, 303)
}

/**
 * The payer of a request: the user, or an organization that the user may pay for. An organization of others is reported as not found. A member
 * without the permission gets `not_authorized`.
 */
async function payerFor(c: AppContext, { userId }: SessionViewer): Promise<Owner | RefusalCode> {
  const requestedId = c.req.query('organizationId')
  if (requestedId === undefined) return { kind: 'user', id: userId }
  const organizationId = idSchema.safeParse(requestedId)
  if (!organizationId.success) return 'not_found'
  return mayPayFor(c, organizationId.data, userId)
}

async function mayPayFor(c: AppContext, organizationId: string, userId: string): Promise<Owner | 'not_found' | 'not_authorized'> {
  const role = await readRole(directoryDb(c.env), organizationId, userId)
  if (role === null) return 'not_found'
  const isAllowed = role.split(',').some((name) => name === 'owner' || name === 'admin')
  return isAllowed ? { kind: 'organization', id: organizationId } : 'not_authorized'
}

/** GET /api/price: the price of PRO per month, read from Stripe. Public, because the page shows it to all users. */
export async function handlePrice(c: AppContext): Promise<Response> {
  const billing = billingFor(c.env, c.var.settings)
  if (!billing) return refuseWith(c, 'not_configured')
  const body: PriceBody = { price: await readProPrice(billing) }
  return c.json(body)
}

/** POST /api/webhook/stripe. A 400 is final; Stripe resends the event after every other status except 200. */
export async function handleWebhook(c: AppContext): Promise<Response> {
  const billing = billingFor(c.env, c.var.settings)
  // The simulation delivers its events without HTTP. Its secret is public, so HTTP requests could be forged.
  if (!billing || billing.isStandIn) return refuseWith(c, 'not_configured')
  try {
    const received = await receiveWebhook(billing, await c.req.text(), c.req.header('stripe-signature') ?? '')
    return received === 'refused' ? refuseWith(c, 'invalid_request') : c.json({ received })
  } catch (error) {
    logger.error('stripe_event_failed', error)
    return refuseWith(c, 'internal', error instanceof BillingBusyError ? 503 : 500)
  }
}
