/** Billing without a Worker: the real SDK, the simulated provider in memory, the product's migrations in SQLite. */
import { type Billing, stripeClient } from '../../../worker/billing/billing.ts'
import { startCheckout } from '../../../worker/billing/checkout.ts'
import { currentSubscription } from '../../../worker/billing/subscription.ts'
import { receiveWebhook } from '../../../worker/billing/webhook.ts'
import type { Subscription } from '../../../worker/contract/organizations/subscription.ts'
import { type Owner, readCustomer } from '../../../worker/db/customers.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { createApi } from '../../../worker/dev/payments/api.ts'
import { PaymentProvider, type SimEvent, type SimSubscription } from '../../../worker/dev/payments/payment-provider.ts'
import { createNodeD1, type NodeD1 } from '../../support/node-d1.ts'
import { memoryStore } from '../../support/peers/stripe-memory.ts'
import { insert, memberRow, organizationRow, userRow } from '../../support/rows.ts'

export type World = {
  readonly billing: Billing
  readonly stripe: PaymentProvider
  readonly db: NodeD1
  nowMs: number
  /** Owners that were notified, in order. */
  readonly notifiedUsers: string[]
  /** Called with "METHOD /path" before the provider responds; an error it throws is a network failure. */
  onCall: (call: string) => void | Promise<void>
  /** Called with the request body. */
  onBody: (body: string) => void
}

export const origin = 'https://parley.test'
const webhookSecret = 'whsec_of_this_world'

export function createWorld(): World {
  const db = createNodeD1()
  const notifiedUsers: string[] = []
  const clock = () => world.nowMs
  const stripe = new PaymentProvider(memoryStore(), clock)
  const api = createApi(stripe, 'https://stripe.test')
  const fetchFromStripe: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    await world.onCall(`${request.method} ${new URL(request.url).pathname}`)
    world.onBody(await request.clone().text())
    return api(request)
  }
  const billing: Billing = {
    stripe: stripeClient('sk_of_this_world', { fetch: fetchFromStripe }),
    webhookSecret,
    priceId: 'price_pro_monthly',
    isStandIn: false,
    db,
    clock,
    notifyUsers: async (userIds) => void notifiedUsers.push(...userIds),
  }
  const world: World = {
    billing,
    stripe,
    db,
    notifiedUsers,
    nowMs: Date.parse('2026-11-20T12:00:00Z'),
    onCall: () => undefined,
    onBody: () => undefined,
  }
  return world
}

export async function addUser(world: World): Promise<Owner> {
  const user = userRow({ id: newId() })
  await insert(world.db, 'user', user)
  return { kind: 'user', id: String(user.id) }
}

export async function addOrganization(world: World, members: number): Promise<Owner & { readonly members: readonly string[] }> {
  const organization = organizationRow()
  await insert(world.db, 'organization', organization)
  const memberIds: string[] = []
  for (let i = 0; i < members; i += 1) {
    const { id } = await addUser(world)
    await insert(world.db, 'member', memberRow(String(organization.id), id))
    memberIds.push(id)
  }
  return { kind: 'organization', id: String(organization.id), members: memberIds }
}

/** Completes and pays a checkout at the provider, without delivering any event. */
export async function subscribe(world: World, owner: Owner): Promise<SimSubscription> {
  const checkout = await startCheckout(world.billing, owner, { origin, path: '/account/subscription' })
  if (checkout.kind !== 'checkout') throw new Error('subscribed already')
  const session = await world.stripe.find('checkout.session', checkout.url.split('/').at(-1) ?? '')
  const subscription = session && (await world.stripe.complete(session))
  if (!subscription) throw new Error('the checkout was not open')
  return subscription
}

export const storedOf = async ({ db }: World, owner: Owner): Promise<Subscription | null> =>
  (await readCustomer(db, owner))?.subscription ?? null

/** The expected stored subscription: Stripe's current state. */
export const currentOf = (world: World, owner: Owner, customer: string): Promise<Subscription | null> =>
  currentSubscription(world.billing.stripe, customer, owner.kind, world.nowMs)

export async function signed(world: World, payload: string, { secret = webhookSecret, agoS = 0 } = {}): Promise<string> {
  const timestamp = Math.floor(world.nowMs / 1000) - agoS
  return world.billing.stripe.webhooks.generateTestHeaderStringAsync({ payload, secret, timestamp })
}

export async function deliverEvent(world: World, event: SimEvent) {
  const payload = JSON.stringify(event)
  return receiveWebhook(world.billing, payload, await signed(world, payload))
}
