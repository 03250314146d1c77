/** The built Worker with the real SDK and a Stripe on loopback that can be slow, late, repetitive or unavailable. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FirstPage } from '../../worker/contract/first-page.ts'
import type { Subscription } from '../../worker/contract/organizations/subscription.ts'
import type { SimEvent } from '../../worker/dev/payments/payment-provider.ts'
import { type Account, newAccount } from '../support/account.ts'
import { newGuest } from '../support/guest.ts'
import { type StripePeer, startStripePeer } from '../support/peers/stripe.ts'
import { freePort } from '../support/ports.ts'
import { type Product, startProduct } from '../support/product.ts'

let peer: StripePeer
let product: Product
let accounts = 0

beforeAll(async () => {
  peer = await startStripePeer()
  const port = await freePort()
  product = await startProduct({
    port,
    env: {
      PUBLIC_URL: `http://localhost:${port}`,
      STRIPE_SECRET_KEY: peer.secretKey,
      STRIPE_WEBHOOK_SECRET: peer.webhookSecret,
      PRO_MONTHLY_PRICE_ID: 'price_pro_monthly',
      STRIPE_API_URL: peer.url,
      CRON_SECRET: 'the secret of the clock',
    },
  })
})

afterAll(async () => {
  await product?.stop()
  await peer?.stop()
})

const newPayer = () => newAccount(product.url, `user-${accounts++}@example.test`)

const subscriptionOf = async (user: Account): Promise<Subscription | null> =>
  ((await (await user.fetch('/_serverFn/first-page')).json()) as FirstPage).customer?.subscription ?? null

const locationOf = (answer: Response) => answer.headers.get('location') ?? ''

/** Pays like a user on the provider's page. Returns the redirect and the events to deliver. */
async function payAt(url: string): Promise<{ success: string; events: readonly SimEvent[] }> {
  const session = await peer.stripe.find('checkout.session', url.split('/').at(-1) ?? '')
  if (!session) throw new Error(`no checkout at ${url}`)
  await peer.stripe.complete(session)
  return { success: session.success_url, events: peer.stripe.takeEvents() }
}

async function subscribed() {
  const user = await newPayer()
  const { success, events } = await payAt(locationOf(await user.fetch('/api/checkout')))
  await user.fetch(success)
  const [subscription] = (await peer.stripe.store.list('subscription')).filter(({ object }) => object === 'subscription')
  if (subscription?.object !== 'subscription') throw new Error('a subscription')
  return { user, events, subscription }
}

test('the page after paying shows PRO before any event has arrived', async () => {
  const user = await newPayer()
  const checkout = await user.fetch(`/api/checkout?redirectUrl=${encodeURIComponent(`${product.url}/account/subscription`)}`)
  expect([checkout.status, locationOf(checkout)]).toEqual([303, expect.stringMatching(`^${peer.url}/pages/checkout/cs_`)])
  const { success } = await payAt(locationOf(checkout))
  const back = await user.fetch(success)
  expect([back.status, locationOf(back)]).toEqual([303, `${product.url}/account/subscription?checkout=done`])
  const html = await (await user.fetch(locationOf(back))).text()
  expect(html).toContain('"status":"active"')
  // A repeated request is free and creates nothing.
  expect(locationOf(await user.fetch('/api/checkout'))).toBe(`${product.url}/account/subscription?checkout=subscribed`)
})

test('guests and visitors sign in first; no redirect leads to another site', async () => {
  const guest = await newGuest(product.url)
  for (const answer of [
    await guest.fetch('/api/checkout?redirectUrl=/x', { redirect: 'manual' }),
    await fetch(`${product.url}/api/checkout?redirectUrl=/x`, { redirect: 'manual' }),
  ])
    expect([answer.status, locationOf(answer)]).toEqual([303, `/login?callbackUrl=${encodeURIComponent('/api/checkout?redirectUrl=/x')}`])
  const { user } = await subscribed()
  for (const evil of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    `blob:${product.url}/x`,
    'javascript:alert(1)',
    '\t//evil.example',
  ])
    for (const path of ['/api/checkout', '/api/customer-portal/return'])
      expect(new URL(locationOf(await user.fetch(`${path}?redirectUrl=${encodeURIComponent(evil)}`))).origin, evil).toBe(product.url)
})

test('another user’s return from checkout looks like one that does not exist', async () => {
  const [ada, ben] = [await newPayer(), await newPayer()]
  const { success } = await payAt(locationOf(await ada.fetch('/api/checkout')))
  expect((await ben.fetch(success)).status).toBe(404)
  expect((await ben.fetch('/api/checkout/success?session_id=cs_nothing')).status).toBe(404)
  expect(await subscriptionOf(ben)).toBeNull()
  const odd = ['', '?session_id=', '?session_id=..%2Fcustomers', '?session_id=cs_%22', `?session_id=${'c'.repeat(3000)}`]
  for (const query of odd)
    expect(locationOf(await ben.fetch(`/api/checkout/success${query}`)), query).toBe(`${product.url}/account/subscription?checkout=pending`)
  peer.misbehave('GET /v1/checkout/sessions/', { status: 500 }, { status: 500 }, { status: 500 })
  expect(locationOf(await ada.fetch(success))).toBe(`${product.url}/account/subscription?checkout=pending`)
  const guest = await newGuest(product.url)
  const answer = await guest.fetch('/api/checkout/success?session_id=cs_nothing', { redirect: 'manual' })
  expect(locationOf(answer)).toContain('/login?callbackUrl=')
})

test('the setup page sends a signed event to the public address, which arrives and changes nothing', async () => {
  const callsBefore = peer.calls.length
  const page = await (await fetch(`${product.url}/api/setup`)).text()
  expect(page).toMatch(/Payments: webhook from outside<\/strong> <span class="good">works/)
  const asked = peer.calls.slice(callsBefore).sort()
  // The check of the price and the check of the costs read the price.
  expect(asked).toEqual(['GET /v1/prices/price_pro_monthly', 'GET /v1/prices/price_pro_monthly', 'GET /v1/webhook_endpoints'])
})

test('owners and admins can pay for all members of an organization', async () => {
  const [owner, member, otherUser] = [await newPayer(), await newPayer(), await newPayer()]
  const { id } = await owner.post<{ id: string }>('/api/auth/organization/create', { name: 'Acme', slug: `acme-${accounts}` })
  const invitation = await owner.post<{ id: string }>('/api/auth/organization/invite-member', {
    email: member.email,
    role: 'member',
    organizationId: id,
  })
  await member.post('/api/auth/organization/accept-invitation', { invitationId: invitation.id })
  const path = `/api/checkout?organizationId=${id}`
  expect([(await member.fetch(path)).status, (await otherUser.fetch(path)).status]).toEqual([403, 404])
  expect((await otherUser.fetch('/api/checkout?organizationId=none')).status).toBe(404)
  const { success } = await payAt(locationOf(await owner.fetch(path)))
  expect((await member.fetch(success)).status).toBe(404)
  await owner.fetch(success)
  const page = (await (await member.fetch('/_serverFn/first-page')).json()) as FirstPage
  expect(page.organizationCustomers).toMatchObject([{ organizationId: id, subscription: { status: 'active', seats: 2 } }])
  await member.post('/api/auth/organization/leave', { organizationId: id })
  const customersOf = async (user: Account) =>
    ((await (await user.fetch('/_serverFn/first-page')).json()) as FirstPage).organizationCustomers
  await expect.poll(() => customersOf(owner)).toMatchObject([{ subscription: { seats: 1 } }])
  expect(await customersOf(member)).toEqual([])

  const customer = (await customersOf(owner))[0]?.id ?? ''
  // It remains while Stripe would continue to charge for it.
  peer.misbehave('DELETE /v1/customers', { status: 500 }, { status: 500 }, { status: 500 })
  await expect(owner.post('/api/auth/organization/delete', { organizationId: id })).rejects.toThrow()
  expect(await customersOf(owner)).toHaveLength(1)
  await owner.post('/api/auth/organization/delete', { organizationId: id })
  expect(await peer.stripe.find('customer', customer)).toMatchObject({ deleted: true })
  const clock = await fetch(`${product.url}/api/reset`, { headers: { authorization: 'Bearer the secret of the clock' } })
  expect(await clock.json()).toMatchObject({ done: { refreshedSubscriptions: 0, evenedSeats: 0 } })
})
