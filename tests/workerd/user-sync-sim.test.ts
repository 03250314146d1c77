// Random histories on the real platform: one user's browsers, other writers, evictions and deaths in any order; tests/sim/user-sync runs
// many more. At the end every browser holds what a new one receives, and every mutation was applied once. A failure names its seed. Rules:
// worker/sync/SPEC.md, K2, P2.

import { expect, test } from 'vitest'
import { messageWindow } from '../support/message-windows.ts'
import { createRng, type Rng } from '../support/rng.ts'
import { content } from './bindings.ts'
import { evict, inside, kill, stubOf } from './sync-object.ts'
import { connected, me, newUser, type SyncUser, type Wire, type WireQuery } from './sync-wire.ts'

const steps = 60
const list: WireQuery = { hash: 'list', name: 'threads.list', args: [{ limit: 4 }] }
const everything: WireQuery = { hash: 'all', name: 'threads.list', args: [{ limit: 1000 }] }
const recent: WireQuery = { hash: 'recent', name: 'threads.recent', args: [] }
/** One query for each of the first threads that a client may create, with `limit` messages. */
const windows = ({ userId }: SyncUser, limit: number) => [1, 2, 3, 4, 5, 6].map((made) => messageWindow(`${userId}-${made}`, limit))

type World = {
  readonly user: SyncUser
  readonly rng: Rng
  readonly wires: Wire[]
  readonly choices: readonly WireQuery[]
  readonly desiredQueries: WireQuery[][]
  made: number
  sent: number
}

const threadIds = async ({ user }: World) =>
  (await content.prepare('select id from thread where userId = ?').bind(user.userId).all<{ id: string }>()).results.map(({ id }) => id)

const operations: { readonly [name: string]: (world: World) => Promise<void> } = {
  async mutate(world) {
    const { rng, wires } = world
    const ids = [...(await threadIds(world)), 'no-such-thread']
    const threadId = rng.pick(ids)
    world.sent += 1
    const wire = rng.pick(wires)
    const at = world.sent
    const [name, args] = rng.pick([
      ['threads.rename', { threadId, title: `Title ${at}` }],
      ['threads.delete', { threadIds: [threadId], at }],
      ['threads.restore', { threadIds: [threadId] }],
      ['settings.update', { nickname: `Name ${at}` }],
    ] as const)
    wire.mutate(name, args)
    if (rng.chance(0.5)) await wire.settled()
  },
  async write(world) {
    const { rng, user } = world
    const ids = await threadIds(world)
    const run = (sql: string, ...values: unknown[]) =>
      content
        .prepare(sql)
        .bind(...values)
        .run()
    const id = ids.length > 0 ? rng.pick(ids) : ''
    world.made += 1
    const created = `${user.userId}-${world.made}`
    await rng.pick([
      () =>
        run(
          'insert into thread (id, userId, title, createdAt, updatedAt) values (?, ?, ?, ?, ?)',
          created,
          user.userId,
          'New',
          world.made,
          rng.below(50),
        ),
      () => run('update thread set updatedAt = ? where id = ?', rng.below(50), id),
      () => run('delete from thread where id = ?', id),
      () =>
        run(
          `insert into message (id, threadId, userId, message, createdAt) select ?, id, userId, '{"id":"m","role":"user","parts":[]}', ? from thread where id = ?`,
          `${created}-m`,
          world.made,
          id,
        ),
      () => run('update user set name = ? where id = ?', `User ${world.made}`, user.userId),
    ])()
    if (rng.chance(0.7)) await stubOf(user).notify()
  },
  async changeQueries({ rng, wires, choices, desiredQueries }) {
    const i = rng.below(wires.length)
    const query = rng.pick(choices)
    const has = desiredQueries[i]?.includes(query)
    const op = has ? { op: 'del', hash: query.hash } : { op: 'put', ttl: rng.pick([0, 300_000]), ...query }
    wires[i]?.send(['changeDesiredQueries', { desiredQueriesPatch: [op] }])
    desiredQueries[i] = has ? (desiredQueries[i] ?? []).filter((other) => other !== query) : [...(desiredQueries[i] ?? []), query]
    await wires[i]?.settled()
  },
  async reconnect({ rng, wires }) {
    const i = rng.below(wires.length)
    const wire = wires[i]
    if (!wire) return
    await wire.settled()
    await wire.close()
    wires[i] = await wire.reconnect()
    await wires[i]?.receives('pokeEnd')
  },
  async sleep({ user }) {
    // Only an awake object can be evicted.
    await inside(user, () => undefined)
    await evict(user)
  },
  async die({ user, wires }) {
    for (const wire of wires) await wire.settled()
    await kill(user)
    for (const [i, wire] of wires.entries()) {
      await wire.untilClosed()
      wires[i] = await wire.reconnect()
      await wires[i]?.receives('pokeEnd')
    }
  },
}

const weighted = ['mutate', 'mutate', 'mutate', 'write', 'write', 'write', 'changeQueries', 'reconnect', 'sleep', 'die']

const rowsOf = (wire: Wire) => new Map([...wire.rows].sort(([a], [b]) => (a < b ? -1 : 1)))

test.each([1, 2, 3])('[K2] [P2] random operations end with the rows of the database, seed %i', async (seed) => {
  const user = await newUser()
  const rng = createRng(seed)
  const choices = [me, list, recent, everything, ...windows(user, 2)]
  const world: World = { user, rng, wires: [], choices, desiredQueries: [[me, list], [recent], [everything, me]], made: 0, sent: 0 }
  for (const queries of world.desiredQueries) world.wires.push(await connected(user, { queries }))
  for (let step = 0; step < steps; step++) await operations[rng.pick(weighted)]?.(world)
  await stubOf(user).notify()

  for (const [i, wire] of world.wires.entries()) {
    await wire.settled()
    expect(wire.desired).toEqual(new Set((world.desiredQueries[i] ?? []).map(({ hash }) => hash)))
    const fresh = await connected(user, { queries: world.desiredQueries[i] ?? [] })
    // This client holds what a new client receives; additional rows (hysteresis of a window, a time to live) are current.
    for (const [key, row] of rowsOf(fresh)) expect(wire.rows.get(key), key).toEqual(row)
    const observer = await connected(user, { queries: [me, list, recent, everything, ...windows(user, steps)] })
    for (const [key, row] of rowsOf(wire)) if (!key.startsWith('thread/')) expect(observer.rows.get(key), key).toEqual(row)
    for (const row of wire.rowsOf('thread')) {
      const stored = await content.prepare('select title, deletedAt, updatedAt from thread where id = ?').bind(row.id).first()
      expect({ title: row.title, deletedAt: row.deletedAt, updatedAt: row.updatedAt }).toEqual(stored)
    }
    await fresh.close()
    await observer.close()
  }
  const applied = await content.prepare('select sum(lastMutationID) n from clientProgress where userId = ?').bind(user.userId).first('n')
  expect(applied ?? 0).toBe(world.sent)
  for (const wire of world.wires) await wire.close()
})
