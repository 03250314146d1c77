// Histories nobody thought of, on the real platform (many more of them, with more that goes wrong, in tests/sim/user-sync): one person's browsers, other writers, sleep and death in any order. At the end every browser holds what a
// fresh one would be given, and every mutation has happened exactly once. A failure names its seed. Rules: worker/sync/SPEC.md, all.
import { expect, test } from 'vitest'
import { createRng, type Rng } from '../support/rng.ts'
import {
  connected,
  env,
  evict,
  inside,
  kill,
  me,
  newPerson,
  type Person,
  recentThreads,
  stubOf,
  type Wire,
  type WireQuery,
} from './sync-wire.ts'

const steps = 60
const list: WireQuery = { hash: 'list', name: 'threads.list', args: [{ limit: 4 }] }
const everything: WireQuery = { hash: 'all', name: 'threads.list', args: [{ limit: 1000 }] }
const choices = [me, list, recentThreads, everything]

type World = {
  readonly person: Person
  readonly rng: Rng
  readonly wires: Wire[]
  readonly desires: WireQuery[][]
  made: number
  sent: number
}

const threadIds = async ({ person }: World) =>
  (await env.DB.prepare('select id from thread where userId = ?').bind(person.userId).all<{ id: string }>()).results.map(({ id }) => id)

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
      ['threads.delete', { threadId, at }],
      ['threads.restore', { threadId }],
      ['settings.update', { nickname: `Name ${at}` }],
    ] as const)
    wire.mutate(name, args)
    if (rng.chance(0.5)) await wire.caughtUp()
  },
  async write(world) {
    const { rng, person } = world
    const ids = await threadIds(world)
    const run = (sql: string, ...values: unknown[]) =>
      env.DB.prepare(sql)
        .bind(...values)
        .run()
    const id = ids.length > 0 ? rng.pick(ids) : ''
    world.made += 1
    const created = `${person.userId}-${world.made}`
    await rng.pick([
      () =>
        run(
          'insert into thread (id, userId, title, createdAt, updatedAt) values (?, ?, ?, ?, ?)',
          created,
          person.userId,
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
      () => run('update user set name = ? where id = ?', `Person ${world.made}`, person.userId),
    ])()
    if (rng.chance(0.7)) await stubOf(person).notify()
  },
  async desire({ rng, wires, desires }) {
    const i = rng.below(wires.length)
    const query = rng.pick(choices)
    const has = desires[i]?.includes(query)
    const op = has ? { op: 'del', hash: query.hash } : { op: 'put', ttl: rng.pick([0, 300_000]), ...query }
    wires[i]?.send(['changeDesiredQueries', { desiredQueriesPatch: [op] }])
    desires[i] = has ? (desires[i] ?? []).filter((other) => other !== query) : [...(desires[i] ?? []), query]
    await wires[i]?.caughtUp()
  },
  async reconnect({ rng, wires }) {
    const i = rng.below(wires.length)
    const wire = wires[i]
    if (!wire) return
    await wire.caughtUp()
    await wire.close()
    wires[i] = await wire.again()
    await wires[i]?.hears('pokeEnd')
  },
  async sleep({ person }) {
    // Only what is awake can fall asleep.
    await inside(person, () => undefined)
    await evict(person)
  },
  async die({ person, wires }) {
    for (const wire of wires) await wire.caughtUp()
    await kill(person)
    for (const [i, wire] of wires.entries()) {
      await wire.untilClosed()
      wires[i] = await wire.again()
      await wires[i]?.hears('pokeEnd')
    }
  },
}

const weighted = ['mutate', 'mutate', 'mutate', 'write', 'write', 'write', 'desire', 'reconnect', 'sleep', 'die']

const rowsOf = (wire: Wire) => new Map([...wire.rows].sort(([a], [b]) => (a < b ? -1 : 1)))

test.each([1, 2, 3])('[E2] [K2] [P2] [H1] [H2] seed %i', async (seed) => {
  const person = await newPerson()
  const rng = createRng(seed)
  const world: World = { person, rng, wires: [], desires: [[me, list], [recentThreads], [everything, me]], made: 0, sent: 0 }
  for (const queries of world.desires) world.wires.push(await connected(person, { queries }))
  for (let step = 0; step < steps; step++) await operations[rng.pick(weighted)]?.(world)
  await stubOf(person).notify()

  for (const [i, wire] of world.wires.entries()) {
    await wire.caughtUp()
    expect(wire.desired).toEqual(new Set((world.desires[i] ?? []).map(({ hash }) => hash)))
    const fresh = await connected(person, { queries: world.desires[i] ?? [] })
    // What a fresh client is given, this one holds; what it holds beyond that (a window's slack, a time to live) is current.
    for (const [key, row] of rowsOf(fresh)) expect(wire.rows.get(key), key).toEqual(row)
    const witness = await connected(person, { queries: choices })
    for (const [key, row] of rowsOf(wire)) if (!key.startsWith('thread/')) expect(witness.rows.get(key), key).toEqual(row)
    for (const row of wire.rowsOf('thread')) {
      const stored = await env.DB.prepare('select title, deletedAt, updatedAt from thread where id = ?').bind(row.id).first()
      expect({ title: row.title, deletedAt: row.deletedAt, updatedAt: row.updatedAt }).toEqual(stored)
    }
    await fresh.close()
    await witness.close()
  }
  const applied = await env.DB.prepare('select sum(lastMutationID) n from clientProgress where userId = ?').bind(person.userId).first('n')
  expect(applied ?? 0).toBe(world.sent)
  for (const wire of world.wires) await wire.close()
})
