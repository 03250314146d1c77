// Scheduled corrections of subscriptions.
import { expect, test } from 'vitest'
import { syncOwner } from '../../../worker/billing/subscription.ts'
import { endCustomer, refreshOverdue, updateUnevenSeats } from '../../../worker/billing/upkeep.ts'
import { addOrganization, addUser, createWorld, deliverEvent, storedOf, subscribe } from './world.ts'

const monthMs = 30 * 86_400_000

test('a subscription is read again only when its period has ended without an event', async () => {
  const world = createWorld()
  const owner = await addUser(world)
  const subscription = await subscribe(world, owner)
  await syncOwner(world.billing, owner)
  expect(await refreshOverdue(world.billing)).toBe(0)
  world.nowMs += monthMs + 1000
  await world.stripe.act(subscription, 'renew')
  expect(await refreshOverdue(world.billing)).toBe(1)
  expect(await storedOf(world, owner)).toMatchObject({ currentPeriodEndMs: Math.floor(world.nowMs / 1000) * 1000 + monthMs })
  expect(await refreshOverdue(world.billing)).toBe(0)
})

test('one unreadable customer does not prevent reading the others', async () => {
  const world = createWorld()
  const owners = [await addUser(world), await addUser(world)]
  for (const owner of owners) {
    await subscribe(world, owner)
    await syncOwner(world.billing, owner)
  }
  world.nowMs += monthMs + 1000
  let failures = 0
  world.onCall = (call) => {
    if (call === 'GET /v1/subscriptions' && failures++ < 3) throw new Error('out of reach')
  }
  expect(await refreshOverdue(world.billing)).toBe(1)
})

test('invalid JSON and an invalid quantity do not prevent the other corrections', async () => {
  const world = createWorld()
  const [broken, acme] = [await addUser(world), await addOrganization(world, 2)]
  await world.db.prepare("insert into userCustomer (id, userId, subscription) values ('cus_x', ?, 'no json')").bind(broken.id).run()
  await subscribe(world, acme)
  await syncOwner(world.billing, acme)
  expect([await refreshOverdue(world.billing), await updateUnevenSeats(world.billing)]).toEqual([0, 0])
  await world.db.prepare('delete from member where userId = ?').bind(acme.members[0]).run()
  expect(await updateUnevenSeats(world.billing)).toBe(1)
  expect(await storedOf(world, acme)).toMatchObject({ seats: 1 })
})

test('deleting an account ends its subscription, once for repeated events', async () => {
  const world = createWorld()
  const owner = await addUser(world)
  const { id, customer } = await subscribe(world, owner)
  await endCustomer(world.billing, owner)
  await endCustomer(world.billing, owner)
  expect(await world.stripe.find('subscription', id)).toMatchObject({ status: 'canceled' })
  expect(await world.stripe.find('customer', customer)).toMatchObject({ deleted: true })
  for (const event of world.stripe.takeEvents()) await deliverEvent(world, event)
  expect(await world.db.prepare('select count(*) n from userCustomer').first('n')).toBe(0)
})
