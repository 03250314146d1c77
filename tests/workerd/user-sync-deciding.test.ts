// Mutations are decided on current rows. Rules: worker/sync/SPEC.md, P1 and P8.

import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { evict, inside } from './sync-object.ts'
import { connected, env, freshId, me, newUser, type SyncUser, threadList, turnArgs } from './sync-wire.ts'

const modelId = 'for-subscribers'
const insertModel = env.DB.prepare(
  `insert or ignore into model (id, name, model, provider, description, icon, credits, access, position, createdAt, updatedAt)
   values (?, 'M', 'm', 'gateway', '', 'i', 1, 'premium_required', 900, 1, 1)`,
).bind(modelId)

/** Cancelled, so that it ends with the paid period; a renewing subscription lasts some days longer. */
const paidFor = (user: SyncUser, ms: number) =>
  env.DB.prepare(
    'insert into userCustomer (id, userId, subscription) values (?1, ?1, ?2) on conflict (userId) do update set subscription = ?2',
  ).bind(user.userId, JSON.stringify({ id: 's', status: 'active', currentPeriodEndMs: Date.now() + ms, cancelAtPeriodEnd: true }))

async function subscriber(paidMs: number) {
  const user = await newUser()
  await env.DB.batch([insertModel, paidFor(user, paidMs)])
  const wire = await connected(user, { queries: [me, threadList] })
  const send = () => ({ ...turnArgs('/demo chunks=1 delay=0', freshId('thread')), modelId })
  const batches = () => inside(user, ({ watch }) => watch.batches.length)
  return { user, wire, send, batches }
}

const hour = 60 * 60_000

test('[P8] the first push after a wake is refused for a subscription that ended meanwhile', async () => {
  const { user, wire, send } = await subscriber(hour)
  const before = wire.mutate('threads.send', send())
  await wire.confirmed(before)
  expect(wire.results.size).toBe(0)
  await evict(user)
  await paidFor(user, -1).run()
  const args = send()
  const id = wire.mutate('threads.send', args)
  await wire.confirmed(id)
  expect(wire.results.get(`${wire.clientID}/${id}`)).toMatchObject({ details: { code: 'premium_required' } })
  expect(await content.prepare('select 1 from generation where id = ?').bind(args.answerId).first()).toBeNull()
  await wire.close()
})

test('[P8] the first push after a wake is accepted for a subscription that began meanwhile', async () => {
  const { user, wire, send } = await subscriber(-1)
  await evict(user)
  await paidFor(user, hour).run()
  await wire.confirmed(wire.mutate('threads.send', send()))
  expect(wire.results.size).toBe(0)
  await wire.close()
})

test('[P1] [P8] a push is one round trip, and the first after a wake one more', async () => {
  const { user, wire, send, batches } = await subscriber(hour)
  const costOf = async (act: () => number) => {
    const before = await batches()
    await wire.confirmed(act())
    return (await batches()) - before
  }
  const rename = () => wire.mutate('settings.update', { nickname: freshId('name') })
  expect(await costOf(rename)).toBe(1)
  // The end of the answer is a separate change that comes later.
  const sent = { ...send(), text: '/demo chunks=1 delay=300' }
  expect(await costOf(() => wire.mutate('threads.send', sent))).toBe(1)
  await wire.until(() => wire.row('thread', sent.threadId)?.status === 'ready', 'its end')
  await evict(user)
  expect(await costOf(rename)).toBe(2)
  expect(await costOf(rename)).toBe(1)
  await wire.close()
})
