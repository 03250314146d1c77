// What a person may do is decided on rows as they are. Rules: worker/sync/SPEC.md, P8.
import { expect, test } from 'vitest'
import { connected, env, evict, freshId, inside, me, newPerson, type Person, threadList, turnArgs } from './sync-wire.ts'

const modelId = 'for-subscribers'
const insertModel = env.DB.prepare(
  `insert or ignore into model (id, name, model, provider, description, icon, credits, access, position, createdAt, updatedAt)
   values (?, 'M', 'm', 'gateway', '', 'i', 1, 'premium_required', 900, 1, 1)`,
).bind(modelId)

/** Cancelled, so that the end of what is paid is the end: one that renews lasts some days longer. */
const paidFor = (person: Person, ms: number) =>
  env.DB.prepare(
    'insert into userCustomer (id, userId, subscription) values (?1, ?1, ?2) on conflict (userId) do update set subscription = ?2',
  ).bind(person.userId, JSON.stringify({ id: 's', status: 'active', currentPeriodEndMs: Date.now() + ms, cancelAtPeriodEnd: true }))

async function subscriber(paidMs: number) {
  const person = await newPerson()
  await env.DB.batch([insertModel, paidFor(person, paidMs)])
  const wire = await connected(person, { queries: [me, threadList] })
  const send = () => ({ ...turnArgs('/demo chunks=1 delay=0', freshId('thread')), modelId })
  const batches = () => inside(person, ({ watch }) => watch.batches.length)
  return { person, wire, send, batches }
}

const hour = 60 * 60_000

test('[P8] a subscription that ended while the object slept, and nobody said so: the first push after the wake is refused', async () => {
  const { person, wire, send } = await subscriber(hour)
  const before = wire.mutate('threads.send', send())
  await wire.confirmed(before)
  expect(wire.results.size).toBe(0)
  await evict(person)
  await paidFor(person, -1).run()
  const args = send()
  const id = wire.mutate('threads.send', args)
  await wire.confirmed(id)
  expect(wire.results.get(`${wire.clientID}/${id}`)).toMatchObject({ details: { code: 'premium_required' } })
  expect(await env.DB.prepare('select 1 from generation where id = ?').bind(args.answerId).first()).toBeNull()
  await wire.close()
})

test('[P8] and one that began meanwhile is accepted', async () => {
  const { person, wire, send } = await subscriber(-1)
  await evict(person)
  await paidFor(person, hour).run()
  await wire.confirmed(wire.mutate('threads.send', send()))
  expect(wire.results.size).toBe(0)
  await wire.close()
})

test('[P1] [P8] awake, a push is one round trip; the first after a wake is one more', async () => {
  const { person, wire, send, batches } = await subscriber(hour)
  const costOf = async (act: () => number) => {
    const before = await batches()
    await wire.confirmed(act())
    return (await batches()) - before
  }
  const rename = () => wire.mutate('settings.update', { nickname: freshId('name') })
  expect(await costOf(rename)).toBe(1)
  // Its end is news of its own, and comes later.
  const sent = { ...send(), text: '/demo chunks=1 delay=300' }
  expect(await costOf(() => wire.mutate('threads.send', sent))).toBe(1)
  await wire.until(() => wire.row('thread', sent.threadId)?.status === 'ready', 'its end')
  await evict(person)
  expect(await costOf(rename)).toBe(2)
  expect(await costOf(rename)).toBe(1)
  await wire.close()
})
