// A user with a long history and an empty object. Rules: worker/sync/SPEC.md, F2, F3, F6 and R8.

import { describe, expect, test } from 'vitest'
import { messageWindow } from '../support/message-windows.ts'
import { content } from './bindings.ts'
import { alarmAt, evict, fireAlarm, inside, setAlarmAt, stubOf } from './sync-object.ts'
import { connected, connectWire, freshId, me, models, newUser, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'

const messagesEach = 60
const all = { hash: 'all', name: 'threads.list', args: [{ limit: 2000 }] }

/** An import page has 256 KB, so about 200 such messages. */
const messageChars = 1250

/** Threads, the last the newest, with messages in each. */
async function history(user: SyncUser, threads: number, messages = messagesEach): Promise<string> {
  const prefix = freshId('h')
  const numbers = 'with recursive n (i) as (select 0 union all select i + 1 from n where i < ?2 - 1)'
  await content.batch([
    content
      .prepare(
        `${numbers} insert into thread (id, userId, title, createdAt, updatedAt) select printf('%s-%04d', ?3, i), ?1, 'T', i, i from n`,
      )
      .bind(user.userId, threads, prefix),
    content
      .prepare(
        `${numbers} insert into message (id, threadId, userId, message, createdAt, updatedAt)
       select printf('%s-%06d', ?3, i), printf('%s-%04d', ?3, i / ?4), ?1, json_object('id', i, 'role', 'user', 'parts', json_array(json_object('type', 'text', 'text', ?5))), i, i from n`,
      )
      .bind(user.userId, threads * messages, prefix, messages, 'x'.repeat(messageChars)),
  ])
  return prefix
}

const threadOf = (prefix: string, i: number) => `${prefix}-${String(i).padStart(4, '0')}`
const messageOf = (prefix: string, i: number) => `${prefix}-${String(i).padStart(6, '0')}`

/** Lets the object's next instance read this many batches. */
const allow = (user: SyncUser, batches: number) =>
  inside(user, ({ watch }) => {
    watch.failsAtBatch = watch.batches.length + batches + 1
  })

/** Evicts the object and fires its alarm, which would fire within seconds. */
async function nextLife(user: SyncUser, batches: number): Promise<void> {
  await evict(user)
  await allow(user, batches)
  await setAlarmAt(user, 'import', 1)
  await fireAlarm(user)
}

const left = (user: SyncUser): Promise<number> =>
  inside(user, (_object, { storage }) => {
    const [row] = storage.sql.exec<{ value: string }>("select value from sync_meta where name = 'importing'").toArray()
    return row ? (JSON.parse(row.value) as { cursors: unknown[] }).cursors.length : 0
  })

/** All messages of the ten newest threads. */
const newest = (prefix: string, threads: number) =>
  Array.from({ length: 10 }, (_, i) => messageWindow(threadOf(prefix, Math.max(0, threads - 1 - i)), 1000))

async function expectWhole(user: SyncUser, wire: Wire): Promise<void> {
  await wire.until(() => wire.got.size === wire.desired.size && wire.got.has('all'), 'everything')
  for (const table of ['thread', 'message'] as const) {
    const { results } = await content.prepare(`select id, updatedAt from ${table} where userId = ? order by id`).bind(user.userId).all()
    const held = await inside(user, (_object, { storage }) => storage.sql.exec(`select id, updatedAt from ${table} order by id`).toArray())
    expect(held).toEqual(results)
  }
  const newest = await content
    .prepare(
      'select id from message where threadId in (select id from thread where userId = ?1 and deletedAt is null order by updatedAt desc limit 10) order by id',
    )
    .bind(user.userId)
    .all<{ id: string }>()
  const ids = wire.rowsOf('message').map(({ id }) => id)
  expect(newest.results.filter(({ id }) => !ids.includes(id))).toEqual([])
}

describe('[F2] the first import', () => {
  test.each([0, 1])('starts over when D1 fails after %i batches, without missing or extra rows', async (batches) => {
    const user = await newUser()
    const prefix = await history(user, 8)
    await allow(user, batches)
    const refused = await connectWire(user, { queries: [all] })
    expect(await refused.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
    await content.prepare('delete from thread where id = ?').bind(threadOf(prefix, 0)).run()
    const wire = await connected(user, { queries: [all, ...newest(prefix, 8)] })
    await expectWhole(user, wire)
    expect(wire.row('thread', threadOf(prefix, 0))).toBeUndefined()
    await wire.close()
  })
})

test('[R8] other objects run between the pages of an import', async () => {
  const [user, other] = [await newUser(), await newUser()]
  await history(user, 120)
  const wire = await connected(user, { queries: [me] })
  const batches = await inside(user, ({ watch }) => watch.batches)
  const met = new Set<number>()
  while ((await left(user)) > 0) met.add(await inside(other, () => batches.length))
  // A caller that waits until all is read would see only one state.
  expect(met.size).toBeGreaterThan(2)
  await wire.close()
})

describe('a long import', () => {
  test('[F3] answers the first screen first, reports complete queries, and continues through evictions and writes', async () => {
    const user = await newUser()
    const prefix = await history(user, 30)
    // Two batches for the first pages and the screen, one for the feed.
    await allow(user, 3)
    const wire = await connected(user, { queries: [me, models, all, ...newest(prefix, 30)] })
    expect([...wire.got].sort()).toEqual(['all', 'me', 'models'])
    expect(wire.rowsOf('thread')).toHaveLength(30)
    // The ends of the threads used last, although their ids come last.
    for (let i = 20; i < 30; i++) expect(wire.row('message', messageOf(prefix, i * messagesEach + messagesEach - 1))).toBeDefined()
    expect(await left(user)).toBe(1)

    const write = (sql: string, ...values: unknown[]) =>
      content
        .prepare(sql)
        .bind(...values)
        .run()
    for (let life = 0; life < 3; life++) {
      // Pages read before and after: changed, deleted and new rows.
      await write('update message set updatedAt = 99999 where id in (?, ?)', messageOf(prefix, 10 + life), messageOf(prefix, 1700 + life))
      await write('delete from message where id in (?, ?)', messageOf(prefix, 20 + life), messageOf(prefix, 1710 + life))
      await write(
        "insert into message (id, threadId, userId, message, createdAt) select id || '-new', threadId, userId, message, createdAt from message where id in (?, ?)",
        messageOf(prefix, 30 + life),
        messageOf(prefix, 1720 + life),
      )
      await nextLife(user, 1)
      expect(await left(user)).toBe(1)
      expect([...wire.got].sort()).toEqual(['all', 'me', 'models'])
    }
    // D1 answers again; the next request detects it.
    await stubOf(user).notify()
    await expectWhole(user, wire)
    expect(await left(user)).toBe(0)
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    expect(back.rowOps).toBe(0)
    await back.close()
  })

  test('[F3] completes the lists before it reads the remaining messages', async () => {
    const user = await newUser()
    await history(user, 1100, 1)
    // Two batches for the first pages and the screen, one for the feed, one for the other threads.
    await allow(user, 4)
    const wire = await connected(user, { queries: [all] })
    await wire.until(() => wire.got.has('all'), 'the list')
    expect(wire.rowsOf('thread')).toHaveLength(1100)
    expect(await left(user)).toBe(1)
    await wire.close()
  })

  test('[F3] is awaited by pushes and not by readers', async () => {
    const user = await newUser()
    const prefix = await history(user, 20)
    // A message in a later page: a mutator without it would accept its id as unused.
    await allow(user, 3)
    const wire = await connected(user, { queries: [me, all, ...newest(prefix, 20)] })
    expect(await left(user)).toBe(1)
    await inside(user, ({ watch }) => {
      watch.failsAtBatch = null
    })
    const sent = wire.mutate('threads.send', { ...turnArgs(), messageId: messageOf(prefix, 1150) })
    await wire.confirmed(sent)
    expect(wire.results.get(`${wire.clientID}/${sent}`)).toMatchObject({ details: { code: 'invalid_request' } })
    await expectWhole(user, wire)
    await wire.close()
  })

  test('[F6] after a deploy changed the tables ends before any answer and continues after an interruption', async () => {
    const user = await newUser()
    const prefix = await history(user, 25)
    const wire = await connected(user, { queries: [me, all, ...newest(prefix, 25)] })
    await expectWhole(user, wire)
    await wire.close()
    const deploy = async () => {
      await inside(user, (_object, { storage }) => void storage.sql.exec("update sync_meta set value = 'other' where name = 'shape'"))
      await evict(user)
    }
    const batches = () => inside(user, ({ watch }) => watch.batches.length)
    await deploy()
    const whole = await wire.reconnect()
    await whole.receives('pokeEnd')
    const wanted = await batches()
    expect(wanted).toBeGreaterThan(7)
    await whole.close()
    await deploy()
    await allow(user, wanted - 3)
    const refused = await whole.reconnect()
    expect(await refused.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
    // Its alarm reads the rest and no more.
    await nextLife(user, wanted)
    expect(await batches()).toBeLessThan(wanted - 3)
    const shape = await inside(user, (_object, { storage }) =>
      storage.sql.exec("select value from sync_meta where name = 'shape' and value <> 'other'").toArray(),
    )
    expect(shape).toHaveLength(1)
    expect(await alarmAt(user, 'import')).toBeNull()
    const back = await whole.reconnect()
    await back.receives('pokeEnd')
    expect([back.rowOps, back.got.has('all')]).toEqual([0, true])
    await back.close()
  })
})
