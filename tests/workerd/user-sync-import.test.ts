// A person with a long history and an object that knows nothing of it. Rules: worker/sync/SPEC.md, F2 and F3.
import { describe, expect, test } from 'vitest'
import { decodeCookie } from '../../worker/sync/engine/cookie.ts'
import {
  connected,
  connectWire,
  env,
  evict,
  freshId,
  inside,
  me,
  newPerson,
  type Person,
  recentThreads,
  ringAlarm,
  stubOf,
  threadList,
  turnArgs,
  type Wire,
} from './sync-wire.ts'

const messagesEach = 60
const models = { hash: 'models', name: 'models.all', args: [] }
const all = { hash: 'all', name: 'threads.list', args: [{ limit: 2000 }] }

/** Threads, the last the newest, with messages in each. */
async function history(person: Person, threads: number, messages = messagesEach): Promise<string> {
  const prefix = freshId('h')
  const numbers = 'with recursive n (i) as (select 0 union all select i + 1 from n where i < ?2 - 1)'
  await env.DB.batch([
    env.DB.prepare(
      `${numbers} insert into thread (id, userId, title, createdAt, updatedAt) select printf('%s-%04d', ?3, i), ?1, 'T', i, i from n`,
    ).bind(person.userId, threads, prefix),
    env.DB.prepare(
      `${numbers} insert into message (id, threadId, userId, message, createdAt, updatedAt)
       select printf('%s-%06d', ?3, i), printf('%s-%04d', ?3, i / ?4), ?1, json_object('id', i, 'role', 'user', 'parts', json_array()), i, i from n`,
    ).bind(person.userId, threads * messages, prefix, messages),
  ])
  return prefix
}

const threadOf = (prefix: string, i: number) => `${prefix}-${String(i).padStart(4, '0')}`
const messageOf = (prefix: string, i: number) => `${prefix}-${String(i).padStart(6, '0')}`

/** Lets the object read so many batches in its next life, and no more. */
const allow = (person: Person, batches: number) =>
  inside(person, ({ watch }) => {
    watch.failsAtBatch = watch.batches.length + batches + 1
  })

/** The object is gone and back; its alarm rings, as it would within seconds. */
async function nextLife(person: Person, batches: number): Promise<void> {
  await evict(person)
  await allow(person, batches)
  await inside(person, (_object, { storage }) => {
    storage.sql.exec("update sync_meta set value = 1 where name = 'deadline:import'")
  })
  await ringAlarm(person)
}

const left = (person: Person): Promise<number> =>
  inside(person, (_object, { storage }) => {
    const [row] = storage.sql.exec<{ value: string }>("select value from sync_meta where name = 'importing'").toArray()
    return row ? (JSON.parse(row.value) as { cursors: unknown[] }).cursors.length : 0
  })

async function expectWhole(person: Person, wire: Wire): Promise<void> {
  await wire.until(() => wire.got.has('recent') && wire.got.has('all'), 'everything')
  for (const table of ['thread', 'message'] as const) {
    const { results } = await env.DB.prepare(`select id, updatedAt from ${table} where userId = ? order by id`).bind(person.userId).all()
    const held = await inside(person, (_object, { storage }) =>
      storage.sql.exec(`select id, updatedAt from ${table} order by id`).toArray(),
    )
    expect(held).toEqual(results)
  }
  const newest = await env.DB.prepare(
    'select id from message where threadId in (select id from thread where userId = ?1 and deletedAt is null order by updatedAt desc limit 10) order by id',
  )
    .bind(person.userId)
    .all<{ id: string }>()
  const ids = wire.rowsOf('message').map(({ id }) => id)
  expect(newest.results.filter(({ id }) => !ids.includes(id))).toEqual([])
}

describe('[F2] the first import', () => {
  /** Which feed's end, or which table, a statement reads. */
  const subjectOf = (text: string) =>
    text.includes('Change') ? `end of ${/\w+Change/.exec(text)?.[0]}` : / from (?!page)(\w+)/.exec(text)?.[1]

  test('reads the ends of the feeds before the rows, leaves no log, and starts at the time of day', async () => {
    const person = await newPerson()
    const threadId = freshId('thread')
    await env.DB.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(threadId, person.userId).run()
    const beforeMs = Date.now()
    const wire = await connected(person, { queries: [threadList] })
    expect(wire.row('thread', threadId)).toBeDefined()
    expect(decodeCookie(wire.cookie ?? '')).toBeGreaterThanOrEqual(beforeMs)
    await inside(person, ({ watch }, { storage }) => {
      expect(watch.batches[0]?.map(subjectOf)).toEqual([
        ...['end of contentChange', 'thread', 'message', 'queuedMessage', 'setting', 'usage'],
        ...[
          'end of directoryChange',
          'user',
          'userCustomer',
          'model',
          'organization',
          'member',
          'memberProfile',
          'invitation',
          'team',
          'teamMember',
          'organizationCustomer',
        ],
      ])
      expect(storage.sql.exec('select count(*) n from z_log').one()).toEqual({ n: 0 })
    })
    await wire.close()
  })

  test.each([0, 1])('that D1 ends after %i batches starts over: nothing is missing, nothing is left of the attempt', async (batches) => {
    const person = await newPerson()
    const prefix = await history(person, 8)
    await allow(person, batches)
    const refused = await connectWire(person, { queries: [all] })
    expect(await refused.hears('error')).toMatchObject({ kind: 'ServerOverloaded' })
    await env.DB.prepare('delete from thread where id = ?').bind(threadOf(prefix, 0)).run()
    const wire = await connected(person, { queries: [all, recentThreads] })
    await expectWhole(person, wire)
    expect(wire.row('thread', threadOf(prefix, 0))).toBeUndefined()
    await wire.close()
  })
})

test('[R8] others are answered between the pages of one: the database is in their process, too', async () => {
  const [person, other] = [await newPerson(), await newPerson()]
  await history(person, 120)
  const wire = await connected(person, { queries: [me] })
  const batches = await inside(person, ({ watch }) => watch.batches)
  const met = new Set<number>()
  while ((await left(person)) > 0) met.add(await inside(other, () => batches.length))
  // Who gets in when all is read has met one state of it.
  expect(met.size).toBeGreaterThan(2)
  await wire.close()
})

describe('[F3] a long one', () => {
  test('answers the first screen first, calls complete what is, and goes on through evictions and writes', async () => {
    const person = await newPerson()
    const prefix = await history(person, 30)
    // Two for the first pages and the screen, one for the feed.
    await allow(person, 3)
    const wire = await connected(person, { queries: [me, models, all, recentThreads] })
    expect([...wire.got].sort()).toEqual(['all', 'me', 'models'])
    expect(wire.rowsOf('thread')).toHaveLength(30)
    // The ends of the threads used last, although their ids come last.
    for (let i = 20; i < 30; i++) expect(wire.row('message', messageOf(prefix, i * messagesEach + messagesEach - 1))).toBeDefined()
    expect(await left(person)).toBe(1)

    const write = (sql: string, ...values: unknown[]) =>
      env.DB.prepare(sql)
        .bind(...values)
        .run()
    for (let life = 0; life < 3; life++) {
      // Read already, and still to come: changed, gone, new.
      await write('update message set updatedAt = 99999 where id in (?, ?)', messageOf(prefix, 10 + life), messageOf(prefix, 1700 + life))
      await write('delete from message where id in (?, ?)', messageOf(prefix, 20 + life), messageOf(prefix, 1710 + life))
      await write(
        "insert into message (id, threadId, userId, message, createdAt) select id || '-new', threadId, userId, message, createdAt from message where id in (?, ?)",
        messageOf(prefix, 30 + life),
        messageOf(prefix, 1720 + life),
      )
      await nextLife(person, 1)
      expect(await left(person)).toBe(1)
      expect(wire.got.has('recent')).toBe(false)
    }
    // D1 answers again, which whoever asks it next finds out.
    await stubOf(person).notify()
    await expectWhole(person, wire)
    expect(await left(person)).toBe(0)
    const back = await wire.again()
    await back.hears('pokeEnd')
    expect(back.rowOps).toBe(0)
    await back.close()
  })

  test('is not waited for by readers, but by writers: they decide on all rows', async () => {
    const person = await newPerson()
    const prefix = await history(person, 20)
    // Deep in what is still to come: a mutator that did not know this message would take its id for a free one.
    await allow(person, 3)
    const wire = await connected(person, { queries: [me, all, recentThreads] })
    expect(await left(person)).toBe(1)
    await inside(person, ({ watch }) => {
      watch.failsAtBatch = null
    })
    const sent = wire.mutate('threads.send', { ...turnArgs(), messageId: messageOf(prefix, 1150) })
    await wire.confirmed(sent)
    expect(wire.results.get(`${wire.clientID}/${sent}`)).toMatchObject({ details: { code: 'invalid_request' } })
    await expectWhole(person, wire)
    await wire.close()
  })

  test('of tables that a deploy has changed is done before anybody is answered, and goes on where it was interrupted', async () => {
    const person = await newPerson()
    await history(person, 25)
    const wire = await connected(person, { queries: [me, all, recentThreads] })
    await expectWhole(person, wire)
    await wire.close()
    const deploy = async () => {
      await inside(person, (_object, { storage }) => void storage.sql.exec("update sync_meta set value = 'other' where name = 'shape'"))
      await evict(person)
    }
    const batches = () => inside(person, ({ watch }) => watch.batches.length)
    await deploy()
    const whole = await wire.again()
    await whole.hears('pokeEnd')
    const wanted = await batches()
    expect(wanted).toBeGreaterThan(7)
    await whole.close()
    await deploy()
    await allow(person, wanted - 3)
    const refused = await whole.again()
    expect(await refused.hears('error')).toMatchObject({ kind: 'ServerOverloaded' })
    // Its alarm does the rest, and no more than that.
    await nextLife(person, wanted)
    expect(await batches()).toBeLessThan(wanted - 3)
    const stored = await inside(person, (_object, { storage }) =>
      storage.sql
        .exec<{ name: string; value: string }>("select name, value from sync_meta where name in ('shape', 'deadline:import')")
        .toArray(),
    )
    expect(stored).toMatchObject([{ name: 'shape', value: expect.not.stringMatching(/^other$/) }])
    const back = await whole.again()
    await back.hears('pokeEnd')
    expect([back.rowOps, back.got.has('all')]).toEqual([0, true])
    await back.close()
  })

  test('is begun again, under a connected client, when the feed was tidied: it hears of what differs', async () => {
    const person = await newPerson()
    const prefix = await history(person, 10)
    const wire = await connected(person, { queries: [me, all, recentThreads] })
    await expectWhole(person, wire)
    await env.DB.batch([
      env.DB.prepare('delete from message where id = ?').bind(messageOf(prefix, 580)),
      env.DB.prepare('update message set updatedAt = 77 where id = ?').bind(messageOf(prefix, 581)),
      env.DB.prepare("insert into contentChange (userId, tbl, rowId, op) values ('nobody', 'thread', 'x', 'd')"),
      env.DB.prepare('delete from contentChange where seq < (select max(seq) from contentChange)'),
    ])
    const heard = wire.rowOps
    await stubOf(person).notify()
    await wire.until(() => wire.row('message', messageOf(prefix, 580)) === undefined, 'the deletion')
    await expectWhole(person, wire)
    expect(wire.rowOps - heard).toBe(2)
    expect(wire.frames.some(([, body]) => JSON.stringify(body).includes('"clear"'))).toBe(false)
    await wire.close()
  })
})
