// Six events in many orders with repetitions, in a long run in all 720: the stored state always equals Stripe's current state.
import { expect, test } from 'vitest'
import { handleEvent } from '../../../worker/billing/webhook.ts'
import type { Act, SimEvent } from '../../../worker/dev/payments/payment-provider.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { addUser, createWorld, currentOf, storedOf, subscribe, type World } from './world.ts'

const isLong = Boolean(process.env.PARLEY_LONG)
const replays = isLong ? 10 : 2
const orders = permutations([0, 1, 2, 3, 4, 5]).filter((_order, index) => isLong || index % 7 === 0)

/** Actions after the payment, in order; the first event is the payment. */
const life: readonly Act[] = ['decline', 'pay', 'cancel', 'resume', 'refund']

function permutations(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]]
  return items.flatMap((item) => permutations(items.filter((other) => other !== item)).map((rest) => [item, ...rest]))
}

/** Delivers an event only after its action, with all earlier actions done. */
async function actAndDeliver(world: World, order: readonly number[], rng: Rng) {
  const owner = await addUser(world)
  const subscription = await subscribe(world, owner)
  const events: SimEvent[] = [first(world)]
  const delivered: SimEvent[] = []
  for (const index of order) {
    while (events.length <= index) {
      const act = life[events.length - 1]
      const now = await world.stripe.find('subscription', subscription.id)
      if (!act || !now) throw new Error('a life of six events')
      await world.stripe.act(now, act)
      events.push(first(world))
    }
    const event = events[index]
    if (!event) throw new Error('an event that has happened')
    await deliver(world, event)
    delivered.push(event)
  }
  for (let replay = 0; replay < replays; replay += 1) {
    await deliver(world, rng.pick(delivered))
  }
  return { owner, customer: subscription.customer }
}

const first = (world: World): SimEvent => {
  const [event] = world.stripe.takeEvents()
  if (!event) throw new Error('every act leaves an event')
  return event
}

// Signatures are tested elsewhere; here events are handled thousands of times.
const deliver = (world: World, event: SimEvent) => handleEvent(world.billing, event as unknown as Parameters<typeof handleEvent>[1])

test(`${orders.length} orders of six events, each with ${replays} repetitions, end in the canonical state`, async () => {
  const world = createWorld()
  const rng = createRng(720)
  const endings = new Set<string>()
  for (const order of orders) {
    const { owner, customer } = await actAndDeliver(world, order, rng)
    const stored = await storedOf(world, owner)
    expect(stored, order.join()).toEqual(await currentOf(world, owner, customer))
    endings.add(JSON.stringify({ ...stored, id: 'one for each life' }))
  }
  // One final state: active, and refunded.
  expect([...endings].map((text) => JSON.parse(text))).toEqual([
    {
      id: 'one for each life',
      status: 'active',
      currentPeriodEndMs: world.nowMs + 30 * 86_400_000,
      cancelAtPeriodEnd: false,
      paidUntilMs: world.nowMs,
    },
  ])
})
