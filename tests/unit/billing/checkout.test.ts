// One customer and one subscription for any number of requests, and recovery from every crash.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Checkout, portalUrl, startCheckout } from '../../../worker/billing/checkout.ts'
import { BillingBusyError } from '../../../worker/billing/lease.ts'
import { syncCustomer, syncOwner } from '../../../worker/billing/subscription.ts'
import { updateSeats } from '../../../worker/billing/upkeep.ts'
import type { Owner } from '../../../worker/db/customers.ts'
import { insert, memberRow } from '../../support/rows.ts'
import { addOrganization, addUser, createWorld, origin, storedOf, subscribe, type World } from './world.ts'

const start = (world: World, owner: Owner, path = '/account/subscription'): Promise<Checkout> =>
  startCheckout(world.billing, owner, { origin, path })

const count = async ({ stripe }: World, kind: 'customer' | 'checkout.session' | 'subscription') => (await stripe.store.list(kind)).length

test('twenty concurrent clicks lead to one checkout of one customer', async () => {
  const world = createWorld()
  const owner = await addUser(world)
  const checkouts = await Promise.all(Array.from({ length: 20 }, () => start(world, owner)))
  expect(new Set(checkouts.map((checkout) => checkout.kind === 'checkout' && checkout.url)).size).toBe(1)
  expect([await count(world, 'customer'), await count(world, 'checkout.session')]).toEqual([1, 1])
})

test('the last request determines the target of the checkout', async () => {
  const world = createWorld()
  const owner = await addUser(world)
  await start(world, owner, '/one')
  await start(world, owner, '/two')
  expect(await world.stripe.store.list('checkout.session')).toMatchObject([{ metadata: { path: '/two' } }])
})

test.each([undefined, 'bpc_own'])('the customer portal has the configuration %s', async (portalId) => {
  const world = createWorld()
  const owner = await addUser(world)
  await subscribe(world, owner)
  let asked: string | null = 'not asked'
  world.onBody = (body) => {
    asked = new URLSearchParams(body).get('configuration')
  }
  const billing = portalId === undefined ? world.billing : { ...world.billing, portalId }
  expect(await portalUrl(billing, owner, origin)).toMatch(/^https:\/\/stripe\.test\/portal\//)
  expect(asked).toBe(portalId ?? null)
})

test('an owner with an active subscription gets no second one, also before its event has arrived', async () => {
  const world = createWorld()
  const owner = await addUser(world)
  await subscribe(world, owner)
  expect(await storedOf(world, owner)).toBeNull()
  expect(await start(world, owner)).toEqual({ kind: 'subscribed' })
  expect(await storedOf(world, owner)).toMatchObject({ status: 'active' })
  expect(await count(world, 'subscription')).toBe(1)
})

test('after its end a new subscription is possible, and it is the one that counts', async () => {
  const world = createWorld()
  const owner = await addUser(world)
  await world.stripe.act(await subscribe(world, owner), 'end-now')
  world.nowMs += 1000
  const second = await subscribe(world, owner)
  expect((await syncOwner(world.billing, owner))?.id).toBe(second.id)
})

test.each(['POST /v1/customers', 'POST /v1/checkout/sessions'])('after a crash at %s a second attempt duplicates nothing', async (call) => {
  for (const moment of ['before', 'after'] as const) {
    const world = createWorld()
    const owner = await addUser(world)
    let isDead = true
    let isAnswered = false
    world.onCall = (now) => {
      if (!isDead || now !== call) return
      if (moment === 'before') throw new Error('the machine is gone')
      isAnswered = true
    }
    // The response is never stored: the next statement is the process's last.
    world.db.onStatement = () => {
      if (isDead && isAnswered) throw new Error('the machine is gone')
    }
    await start(world, owner).catch(() => undefined)
    isDead = false
    // Longer than the lease of the crashed process.
    world.nowMs += 60_000
    expect(await start(world, owner)).toMatchObject({ kind: 'checkout' })
    expect([await count(world, 'customer'), await count(world, 'checkout.session')], moment).toEqual([1, 1])
  }
})

test('a customer deleted within a day is created again with another key', async () => {
  const world = createWorld()
  const owner = await addUser(world)
  for (let round = 0; round < 3; round += 1) {
    const { customer } = await subscribe(world, owner)
    const deleted = await world.stripe.find('customer', customer)
    expect(deleted).not.toHaveProperty('deleted')
    if (deleted) await world.stripe.deleteCustomer(deleted)
    await world.db.prepare('delete from userCustomer').run()
  }
  expect(await count(world, 'customer')).toBe(3)
})

test('a customer that was created but not stored is found by its first event', async () => {
  const world = createWorld()
  const owner = await addUser(world)
  const subscription = await subscribe(world, owner)
  await world.db.prepare('delete from userCustomer').run()
  expect(await syncCustomer(world.billing, subscription.customer)).toBe(true)
  expect(await storedOf(world, owner)).toMatchObject({ id: subscription.id, status: 'active' })
})

test('an organization pays for its members, and the quantity follows their number', async () => {
  const world = createWorld()
  const acme = await addOrganization(world, 3)
  await subscribe(world, acme)
  expect(await syncOwner(world.billing, acme)).toMatchObject({ status: 'active', seats: 3 })
  expect(world.notifiedUsers.toSorted()).toEqual(acme.members.toSorted())
  await world.db.prepare('delete from member where userId = ?').bind(acme.members[0]).run()
  const asked: (string | null)[] = []
  world.onBody = (body) => void asked.push(new URLSearchParams(body).get('proration_behavior'))
  await Promise.all([updateSeats(world.billing, acme.id), updateSeats(world.billing, acme.id)])
  expect(await storedOf(world, acme)).toMatchObject({ seats: 2 })
  expect(await world.stripe.store.list('subscription')).toMatchObject([{ items: { data: [{ quantity: 2 }] } }])
  const { id } = await addUser(world)
  await insert(world.db, 'member', memberRow(acme.id, id))
  await updateSeats(world.billing, acme.id)
  // A decrease is credited on the next invoice, an increase is charged now.
  expect(asked.filter(Boolean)).toEqual(['create_prorations', 'always_invoice'])
})

describe('a second request for the same owner', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** The first checkout waits for Stripe at the call until `resume`. */
  async function stalledAt(call: string) {
    vi.useFakeTimers()
    const world = createWorld()
    const owner = await addUser(world)
    const { promise: resumed, resolve: resume } = Promise.withResolvers<void>()
    let isFirst = true
    world.onCall = async (now) => {
      if (!isFirst || now !== call) return
      isFirst = false
      await resumed
    }
    const run = () => startCheckout({ ...world.billing, clock: Date.now }, owner, { origin, path: '/' })
    const first = run()
    await vi.advanceTimersByTimeAsync(1000)
    expect(isFirst).toBe(false)
    return { world, first, run, resume }
  }

  const calls = ['GET /v1/customers/search', 'POST /v1/customers', 'GET /v1/subscriptions', 'POST /v1/checkout/sessions']

  test.each(calls)('succeeds within seconds if the first was killed at %s', async (call) => {
    const { world, run } = await stalledAt(call)
    // Nothing of a killed process runs any more.
    vi.clearAllTimers()
    const second = run()
    await vi.advanceTimersByTimeAsync(7000)
    expect(await second).toMatchObject({ kind: 'checkout' })
    expect([await count(world, 'customer'), await count(world, 'checkout.session')]).toEqual([1, 1])
  })

  test('learns how long to wait while the first still runs, which keeps the lease for as long as it works', async () => {
    const { world, first, run, resume } = await stalledAt('GET /v1/subscriptions')
    for (const _attempt of [1, 2, 3]) {
      const second = run().catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(9000)
      expect(await second).toBeInstanceOf(BillingBusyError)
      expect(((await second) as BillingBusyError).retryAfterS).toBeOneOf([1, 2, 3, 4, 5, 6])
    }
    resume()
    await vi.advanceTimersByTimeAsync(100)
    expect(await first).toMatchObject({ kind: 'checkout' })
    expect(await run()).toEqual(await first)
    expect(await count(world, 'checkout.session')).toBe(1)
  })

  test('is the only one to create a checkout if the first stalled without renewing its lease', async () => {
    const { world, first, run, resume } = await stalledAt('GET /v1/subscriptions')
    vi.clearAllTimers()
    const second = run()
    await vi.advanceTimersByTimeAsync(7000)
    expect(await second).toMatchObject({ kind: 'checkout' })
    const stalled = first.catch((error: unknown) => error)
    resume()
    await vi.advanceTimersByTimeAsync(100)
    expect(await stalled).toBeInstanceOf(BillingBusyError)
    expect(await count(world, 'checkout.session')).toBe(1)
  })
})
