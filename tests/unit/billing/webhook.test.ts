// Webhook events: authentication, events of other customers, and that no failure or race stores an older state.
import { expect, test } from 'vitest'
import { syncOwner } from '../../../worker/billing/subscription.ts'
import { receiveWebhook } from '../../../worker/billing/webhook.ts'
import { planOf } from '../../../worker/contract/access.ts'
import { subscriptionState } from '../../../worker/contract/organizations/subscription-state.ts'
import type { Act } from '../../../worker/dev/payments/payment-provider.ts'
import { addUser, createWorld, currentOf, deliverEvent, signed, storedOf, subscribe, type World } from './world.ts'

const eventOf = (world: World, changes: object = {}) => {
  const [event] = world.stripe.takeEvents()
  if (!event) throw new Error('something has happened')
  return { ...event, ...changes }
}

async function paidWorld() {
  const world = createWorld()
  const owner = await addUser(world)
  const subscription = await subscribe(world, owner)
  return { world, owner, subscription }
}

test('an event signed with the secret is accepted', async () => {
  const { world, owner } = await paidWorld()
  expect(await deliverEvent(world, eventOf(world))).toBe('handled')
  expect(await storedOf(world, owner)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
  expect(world.notifiedUsers).toEqual([owner.id])
})

test('any other event is refused and changes nothing', async () => {
  const { world, owner } = await paidWorld()
  const payload = JSON.stringify(eventOf(world))
  const good = await signed(world, payload)
  const thin = JSON.stringify({ object: 'v2.core.event', type: 'invoice.paid', id: 'evt_thin' })
  const tries: [string, string, string][] = [
    ['no signature', payload, ''],
    ['garbage', payload, 't=1,v1=00'],
    ['a signature of nothing', payload, good.replace(/v1=.*/, 'v1=')],
    ['a signature of less than nothing', payload, good.replace(/v1=.*/, 'v1')],
    ['a good one beside one of nothing', payload, `${good},v1=`],
    ['another secret', payload, await signed(world, payload, { secret: 'whsec_of_another_account' })],
    ['301 seconds old', payload, await signed(world, payload, { agoS: 301 })],
    ['another body', payload.replace('"livemode":false', '"livemode":true'), good],
    ['the same JSON, written anew', JSON.stringify(JSON.parse(payload), null, 1), good],
    ['no JSON, though signed', 'hello', await signed(world, 'hello')],
    ['JSON that is no event, though signed', '{}', await signed(world, '{}')],
    ['an event of the newer API, which has no object', thin, await signed(world, thin)],
    ['a number, though signed', '1', await signed(world, '1')],
    [
      'an event of nothing, though signed',
      '{"type":"x","data":{"object":null}}',
      await signed(world, '{"type":"x","data":{"object":null}}'),
    ],
    ['an old scheme', payload, good.replace('v1=', 'v0=')],
  ]
  for (const [name, body, signature] of tries) expect(await receiveWebhook(world.billing, body, signature), name).toBe('refused')
  expect(await storedOf(world, owner)).toBeNull()
  expect(await receiveWebhook(world.billing, payload, await signed(world, payload, { agoS: 299 }))).toBe('handled')
})

test('events about unknown customers are ignored', async () => {
  const { world } = await paidWorld()
  const event = eventOf(world)
  const about = (object: object) => ({ ...event, data: { object } })
  expect(await deliverEvent(world, eventOfAccount(event))).toBe('ignored')
  expect(await deliverEvent(world, about({ object: 'invoice', customer: 'cus_of_another_product' }))).toBe('ignored')
  expect(await deliverEvent(world, about({ object: 'balance' }))).toBe('ignored')
  expect(await deliverEvent(world, { ...about({ object: 'customer' }), type: 'customer.deleted' })).toBe('ignored')
  const unknownCustomer = await world.stripe.addCustomer('A stranger', null, { userId: 'nobody-here' })
  expect(await deliverEvent(world, about({ object: 'invoice', customer: unknownCustomer.id }))).toBe('ignored')
})

const eventOfAccount = <T extends object>(event: T): T => ({ ...event, account: 'acct_connected' })

test('fifty concurrent deliveries during changes of the subscription end in its last state', async () => {
  const { world, owner, subscription } = await paidWorld()
  const event = eventOf(world)
  const deliveries = Array.from({ length: 50 }, () => deliverEvent(world, event))
  for (const act of ['cancel', 'resume', 'cancel'] as const) await world.stripe.act(subscription, act)
  deliveries.push(...world.stripe.takeEvents().map((later) => deliverEvent(world, later)))
  expect(new Set(await Promise.all(deliveries))).toEqual(new Set(['handled']))
  expect(await storedOf(world, owner)).toEqual(await currentOf(world, owner, subscription.customer))
  expect(await storedOf(world, owner)).toMatchObject({ cancelAtPeriodEnd: true })
})

test('a response that took longer than the lease does not overwrite a newer one', async () => {
  const { world, owner, subscription } = await paidWorld()
  world.stripe.takeEvents()
  const slow = Promise.withResolvers<void>()
  const isAsked = Promise.withResolvers<void>()
  let calls = 0
  world.onCall = (call) => {
    // After the list request: the state of the first reader is outdated when it continues.
    if (call !== 'GET /v1/invoice_payments' || calls++ > 0) return undefined
    isAsked.resolve()
    return slow.promise
  }
  const old = syncOwner(world.billing, owner)
  await isAsked.promise
  await world.stripe.act(subscription, 'cancel')
  world.nowMs += 60_000
  await syncOwner(world.billing, owner)
  slow.resolve()
  await expect(old).rejects.toThrow('lease ran out')
  expect(await storedOf(world, owner)).toMatchObject({ cancelAtPeriodEnd: true })
})

test.each(['GET /v1/subscriptions', 'GET /v1/invoice_payments'])(
  'a failure at %s is thrown, and the next delivery of the event works',
  async (path) => {
    const { world, owner } = await paidWorld()
    const event = eventOf(world)
    let failures = 0
    world.onCall = (call) => {
      if (call === path && failures++ < 3) throw new Error('out of reach')
    }
    await expect(deliverEvent(world, event)).rejects.toThrow()
    expect(await storedOf(world, owner)).toBeNull()
    expect(await deliverEvent(world, event)).toBe('handled')
    expect(await storedOf(world, owner)).toMatchObject({ status: 'active' })
  },
  20_000,
)

test('a database failure at any statement makes Stripe deliver the event again', async () => {
  for (let fatal = 0; fatal < 8; fatal += 1) {
    const { world, owner } = await paidWorld()
    const event = eventOf(world)
    let statements = 0
    world.db.onStatement = () => {
      if (statements++ === fatal) throw new Error('D1 is gone')
    }
    await deliverEvent(world, event).catch(() => undefined)
    world.db.onStatement = () => undefined
    world.nowMs += 60_000
    expect(await deliverEvent(world, event)).toBe('handled')
    expect(await storedOf(world, owner), `statement ${fatal}`).toMatchObject({ status: 'active' })
  }
})

const month = 30 * 86_400_000
const later = (days: number) => days * 86_400_000

test.each<[readonly Act[], object, string, string]>([
  [[], { kind: 'renews' }, 'pro', 'pro'],
  [['cancel'], { kind: 'ends', canResume: true }, 'pro', 'free'],
  [['cancel', 'resume'], { kind: 'renews' }, 'pro', 'pro'],
  [['decline'], { kind: 'past-due' }, 'pro', 'free'],
  [['decline', 'pay'], { kind: 'renews' }, 'pro', 'pro'],
  [['decline', 'give-up'], { kind: 'ended' }, 'free', 'free'],
  [['end-now'], { kind: 'ends', canResume: false }, 'pro', 'free'],
  [['pause'], { kind: 'paused' }, 'pro', 'free'],
  [['pause', 'renew'], { kind: 'paused' }, 'free', 'free'],
  [['pause', 'renew', 'unpause', 'renew'], { kind: 'renews' }, 'pro', 'pro'],
  [['refund'], { kind: 'unpaid' }, 'free', 'free'],
  [['end-now', 'refund'], { kind: 'ended' }, 'free', 'free'],
  [['dispute'], { kind: 'unpaid' }, 'free', 'free'],
  [['dispute', 'win'], { kind: 'renews' }, 'pro', 'pro'],
  [['refund', 'renew'], { kind: 'renews' }, 'pro', 'pro'],
])('after %j it %j: %s now, %s a day after the period without news', async (acts, state, now, atItsEnd) => {
  const { world, owner, subscription } = await paidWorld()
  for (const act of acts) {
    world.nowMs += 1000
    await world.stripe.act((await world.stripe.find('subscription', subscription.id)) ?? subscription, act)
  }
  for (const event of world.stripe.takeEvents()) await deliverEvent(world, event)
  const stored = await storedOf(world, owner)
  expect(stored && subscriptionState(stored, world.nowMs)).toMatchObject(state)
  expect(planOf({ subscription: stored }, world.nowMs)).toBe(now)
  // PRO survives a renewal that is late by a day; an end is effective at once.
  expect(planOf({ subscription: stored }, world.nowMs + month + later(1))).toBe(atItsEnd)
  expect(planOf({ subscription: stored }, world.nowMs + month + later(5))).toBe('free')
})
