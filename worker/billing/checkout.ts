/**
 * Starts a Stripe Checkout or opens the billing portal. A checkout starts under the owner's lease, so concurrent requests reuse one
 * customer and one open checkout session, which Stripe completes only once. An owner with a live subscription gets no second one.
 */
import type Stripe from 'stripe'
import { isLive } from '../contract/organizations/subscription.ts'
import { addCustomer, type Customer, countMembers, type Owner, readCustomer, readPayer } from '../db/customers.ts'
import { type Billing, nullWhenMissing } from './billing.ts'
import { renewLease, withLease } from './lease.ts'
import { listSubscriptions, syncWithLease } from './subscription.ts'

type Return = {
  /** Origin of this deployment, without a trailing slash. */
  readonly origin: string
  /** Path of this deployment to return to. */
  readonly path: string
}

export type Checkout = { readonly kind: 'checkout'; readonly url: string } | { readonly kind: 'subscribed' }

export function startCheckout(billing: Billing, owner: Owner, returnTo: Return): Promise<Checkout> {
  return withLease(billing, owner, async (lease) => {
    const customer = (await readCustomer(billing.db, owner)) ?? (await findOrCreateCustomer(billing, owner))
    // List open checkouts before subscriptions: a checkout that completes in between then shows up as a subscription.
    const open = await openCheckout(billing, customer.id)
    const subscriptions = await listSubscriptions(billing.stripe, customer.id)
    if (subscriptions.some(isLive)) {
      await syncWithLease(billing, lease, owner, customer)
      return { kind: 'subscribed' }
    }
    if (open) return { kind: 'checkout', url: await reuseCheckout(billing, open, returnTo) }
    // A holder that stalled could create a second checkout, and both could be paid.
    await renewLease(billing, lease)
    return { kind: 'checkout', url: await createCheckout(billing, owner, customer.id, returnTo) }
  })
}

async function openCheckout({ stripe, priceId }: Billing, customerId: string): Promise<Stripe.Checkout.Session | null> {
  const { data } = await stripe.checkout.sessions.list({ customer: customerId, status: 'open', limit: 10 })
  return data.find(({ url, metadata }) => url !== null && metadata?.price === priceId) ?? null
}

/** Stores the return path of the latest request; all tabs share this session. */
async function reuseCheckout({ stripe, priceId }: Billing, { id, url }: Stripe.Checkout.Session, { path }: Return): Promise<string> {
  await stripe.checkout.sessions.update(id, { metadata: { path, price: priceId } })
  return url ?? ''
}

async function createCheckout({ stripe, db, priceId }: Billing, owner: Owner, customer: string, { origin, path }: Return): Promise<string> {
  const quantity = owner.kind === 'organization' ? Math.max(1, await countMembers(db, owner.id)) : 1
  const { url } = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer,
    line_items: [{ price: priceId, quantity }],
    allow_promotion_codes: true,
    client_reference_id: owner.id,
    metadata: { path, price: priceId },
    subscription_data: { metadata: metadataOf(owner) },
    success_url: `${origin}/api/checkout/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: origin + path,
  })
  if (!url) throw new Error('a hosted checkout session has no URL')
  return url
}

const metadataOf = ({ kind, id }: Owner): Record<string, string> => (kind === 'user' ? { userId: id } : { organizationId: id })

/**
 * Creates at most one customer per owner, also across crashes. The idempotency key finds a customer created within the last day, the search
 * finds older ones.
 */
async function findOrCreateCustomer({ stripe, db }: Billing, owner: Owner): Promise<Customer> {
  const payer = await readPayer(db, owner)
  if (!payer) throw new Error(`the owner of the customer does not exist: ${owner.kind}`)
  const [name, id] = Object.entries(metadataOf(owner))[0] ?? []
  const { data: existing } = await stripe.customers.search({ query: `metadata['${name}']:'${id}'`, limit: 1 })
  const create = (attempt: string) =>
    stripe.customers.create(
      { name: payer.name, ...(payer.email ? { email: payer.email } : {}), metadata: metadataOf(owner) },
      { idempotencyKey: `customer-${owner.kind}-${owner.id}${attempt}` },
    )
  const customerId = existing[0]?.id ?? (await createLiveCustomer(stripe, create))
  if (!(await addCustomer(db, owner, customerId))) throw new Error('the owner was deleted or already has another customer')
  return { id: customerId, subscription: null }
}

/**
 * Creates a customer that is not deleted. Stripe replays a response for the same idempotency key for a day, even after the customer was
 * deleted. The next key therefore contains the id of the deleted customer.
 */
async function createLiveCustomer(stripe: Stripe, create: (attempt: string) => Promise<Stripe.Customer>): Promise<string> {
  let attempt = ''
  for (let tries = 0; tries < maxCustomers; tries += 1) {
    const { id } = await create(attempt)
    const found = await stripe.customers.retrieve(id).catch(nullWhenMissing)
    if (found && !found.deleted) return id
    attempt = `-after-${id}`
  }
  throw new Error(`the last ${maxCustomers} customers of this owner were deleted`)
}

/** Chosen: customers of one owner that an operator may delete at Stripe within a day. */
const maxCustomers = 10

/** The customer and the return path of a checkout session. Null if the session is not in our Stripe account. */
export async function readCheckout({ stripe }: Billing, sessionId: string): Promise<{ customerId: string; path: string } | null> {
  const session = await stripe.checkout.sessions.retrieve(sessionId).catch(nullWhenMissing)
  if (!session?.customer) return null
  const customerId = typeof session.customer === 'string' ? session.customer : session.customer.id
  return { customerId, path: session.metadata?.path ?? '/' }
}

/** URL of the billing portal, where a customer changes the card, cancels, resumes and finds invoices. Null without a customer. */
export async function portalUrl({ stripe, db, portalId }: Billing, owner: Owner, returnUrl: string): Promise<string | null> {
  const customer = await readCustomer(db, owner)
  if (!customer) return null
  const { url } = await stripe.billingPortal.sessions.create({
    customer: customer.id,
    return_url: returnUrl,
    ...(portalId ? { configuration: portalId } : {}),
  })
  return url
}
