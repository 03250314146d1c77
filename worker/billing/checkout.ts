/**
 * From "Get PRO" to a paid subscription and back. Under the owner's lease, so that two clicks and two tabs find the same customer and the
 * same open checkout, which Stripe lets anybody complete only once. Whoever has a living subscription is sent to it instead.
 */
import type Stripe from 'stripe'
import { isLive } from '../contract/subscription.ts'
import { addCustomer, type Customer, countMembers, type Owner, readCustomer, readPayer } from '../db/customers.ts'
import type { Billing } from './billing.ts'
import { withLease } from './lease.ts'
import { nullWhenMissing } from './missing.ts'
import { listSubscriptions } from './subscription.ts'
import { syncUnder } from './sync-customer.ts'

export type Return = {
  /** Ours, without a slash at its end. */
  readonly origin: string
  /** The path of ours to come back to. */
  readonly path: string
}

export type Checkout = { readonly kind: 'checkout'; readonly url: string } | { readonly kind: 'subscribed' }

export function startCheckout(billing: Billing, owner: Owner, back: Return): Promise<Checkout> {
  return withLease(billing, owner, async (lease) => {
    const customer = (await readCustomer(billing.db, owner)) ?? (await makeCustomer(billing, owner))
    // Open checkouts first: one that is completed in between has made its subscription by the time that those are listed.
    const open = await openCheckout(billing, customer.id)
    const subscriptions = await listSubscriptions(billing.stripe, customer.id)
    if (subscriptions.some(isLive)) {
      await syncUnder(billing, lease, owner, customer)
      return { kind: 'subscribed' }
    }
    return { kind: 'checkout', url: await (open ? sendBackTo(billing, open, back) : createCheckout(billing, owner, customer.id, back)) }
  })
}

async function openCheckout({ stripe, priceId }: Billing, customerId: string): Promise<Stripe.Checkout.Session | null> {
  const { data } = await stripe.checkout.sessions.list({ customer: customerId, status: 'open', limit: 10 })
  return data.find(({ url, metadata }) => url !== null && metadata?.price === priceId) ?? null
}

/** The tab that asked last decides where the one checkout leads. */
async function sendBackTo({ stripe, priceId }: Billing, { id, url }: Stripe.Checkout.Session, { path }: Return): Promise<string> {
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
  if (!url) throw new Error('a hosted checkout has an address')
  return url
}

const metadataOf = ({ kind, id }: Owner): Record<string, string> => (kind === 'user' ? { userId: id } : { organizationId: id })

/** One per owner, also when we die half way: the key finds one that was just made, the search one of earlier days. */
async function makeCustomer({ stripe, db }: Billing, owner: Owner): Promise<Customer> {
  const payer = await readPayer(db, owner)
  if (!payer) throw new Error(`nobody is there to pay: ${owner.kind}`)
  const [name, id] = Object.entries(metadataOf(owner))[0] ?? []
  const { data: known } = await stripe.customers.search({ query: `metadata['${name}']:'${id}'`, limit: 1 })
  const create = (attempt: string) =>
    stripe.customers.create(
      { name: payer.name, ...(payer.email ? { email: payer.email } : {}), metadata: metadataOf(owner) },
      { idempotencyKey: `customer-${owner.kind}-${owner.id}${attempt}` },
    )
  const customerId = known[0]?.id ?? (await livingCustomer(stripe, create))
  if (!(await addCustomer(db, owner, customerId))) throw new Error('whoever pays is gone, or has another customer already')
  return { id: customerId, subscription: null }
}

/** Stripe answers a key for a day with what it once made, also when that has been deleted since: then the deleted one names the next key. */
async function livingCustomer(stripe: Stripe, create: (attempt: string) => Promise<Stripe.Customer>): Promise<string> {
  let attempt = ''
  for (let tries = 0; tries < maxCustomers; tries += 1) {
    const { id } = await create(attempt)
    const found = await stripe.customers.retrieve(id).catch(nullWhenMissing)
    if (found && !found.deleted) return id
    attempt = `-after-${id}`
  }
  throw new Error('every customer of the day has been deleted')
}

/** Deleted within a day by whoever runs this, not by people. */
const maxCustomers = 10

/** Whose checkout this was and where it leads; null for one that is not at our account. */
export async function readCheckout({ stripe }: Billing, sessionId: string): Promise<{ customerId: string; path: string } | null> {
  const session = await stripe.checkout.sessions.retrieve(sessionId).catch(nullWhenMissing)
  if (!session?.customer) return null
  const customerId = typeof session.customer === 'string' ? session.customer : session.customer.id
  return { customerId, path: session.metadata?.path ?? '/' }
}

/** Where a customer changes card, cancels, resumes and finds invoices. Null for whoever has never been a customer. */
export async function portalUrl({ stripe, db }: Billing, owner: Owner, returnUrl: string): Promise<string | null> {
  const customer = await readCustomer(db, owner)
  if (!customer) return null
  const { url } = await stripe.billingPortal.sessions.create({ customer: customer.id, return_url: returnUrl })
  return url
}
