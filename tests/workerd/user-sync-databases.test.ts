// Content and directory in two databases, as they may be one day. Rules: worker/sync/SPEC.md, F5.
import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import {
  env as bindings,
  connected,
  evict,
  inside,
  me,
  newPerson,
  type Person,
  recentThreads,
  stubOf,
  turnArgs,
  type Wire,
} from './sync-wire.ts'
import { isWrite } from './watched-db.ts'
import { directoryKey } from './watched-user-sync.ts'

const env = bindings as typeof bindings & { readonly SECOND_DB: D1Database; readonly TEST_MIGRATIONS: D1Migration[] }
const directory = env.SECOND_DB

beforeAll(async () => {
  await applyD1Migrations(directory, env.TEST_MIGRATIONS)
})

/** Somebody whose account stands in the second database; the Worker's door knows the first one only, so they stand in both. */
async function personInTwo(): Promise<Person> {
  const person = await newPerson()
  for (const table of ['user', 'session']) {
    const row = await env.DB.prepare(`select * from ${table} where ${table === 'user' ? 'id' : 'userId'} = ?`)
      .bind(person.userId)
      .first()
    const columns = Object.keys(row ?? {})
    await directory
      .prepare(`insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})`)
      .bind(...Object.values(row ?? {}))
      .run()
  }
  await directory.prepare('update user set name = ? where id = ?').bind('From the directory', person.userId).run()
  await inside(person, (_object, { storage }) => storage.kv.put(directoryKey, true))
  await evict(person)
  return person
}

const rename = (person: Person, name: string) => directory.prepare('update user set name = ? where id = ?').bind(name, person.userId).run()
const nameOf = (wire: Wire) => wire.rowsOf('user')[0]?.name

test('[F5] a person is imported from both, and each feed is followed in its own', async () => {
  const person = await personInTwo()
  const wire = await connected(person, { queries: [me, recentThreads] })
  expect(nameOf(wire)).toBe('From the directory')
  expect(wire.rowsOf('setting')).toHaveLength(1)
  await rename(person, 'Renamed')
  await env.DB.prepare('update setting set nickname = ? where userId = ?').bind('By hand', person.userId).run()
  await stubOf(person).notify()
  await wire.caughtUp()
  expect([nameOf(wire), wire.rowsOf('setting')[0]?.nickname]).toEqual(['Renamed', 'By hand'])
  // A session that ended in the directory connects nobody, whatever the content says.
  await directory.prepare('delete from session where userId = ?').bind(person.userId).run()
  const ended = await wire.again().then((again) => again.hears('error'))
  expect(ended).toMatchObject({ kind: 'Unauthorized' })
})

test('[F5] [P1] a push writes to the content and asks the directory at the same time, and tells what both say', async () => {
  const person = await personInTwo()
  const wire = await connected(person, { queries: [me, recentThreads] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'warm' }))
  await rename(person, 'Meanwhile')
  const before = await inside(person, ({ watch }) => watch.batches.length)
  const args = turnArgs('/demo chunks=1 delay=0')
  await wire.confirmed(wire.mutate('threads.send', args))
  const asked = await inside(person, ({ watch }) => watch.batches.slice(before, before + 2).map((texts) => texts.some(isWrite)))
  expect(asked).toEqual([true, false])
  expect(nameOf(wire)).toBe('Meanwhile')
  expect(wire.row('message', args.messageId)).toBeDefined()
  expect(await directory.prepare('select count(*) n from thread').first('n')).toBe(0)
  await wire.close()
})

test('[F5] a directory that does not answer fails no push, and what it had to say comes later', async () => {
  const person = await personInTwo()
  const wire = await connected(person, { queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'warm' }))
  await rename(person, 'Unheard')
  await inside(person, ({ watch }) => {
    watch.failsAtBatch = watch.batches.length + 2
  })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'through' }))
  expect([nameOf(wire), wire.rowsOf('setting')[0]?.nickname]).toEqual(['From the directory', 'through'])
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'next' }))
  expect(nameOf(wire)).toBe('Unheard')
  await wire.close()
})

test('[F5] one of them tidied too far, or restored, is noticed by itself', async () => {
  const person = await personInTwo()
  const wire = await connected(person, { queries: [me] })
  await rename(person, 'Unread')
  await directory.prepare("insert into directoryChange (userId, tbl, rowId, op) values ('nobody', 'user', 'x', 'd')").run()
  await directory.prepare('delete from directoryChange where seq < (select max(seq) from directoryChange)').run()
  await stubOf(person).notify()
  await wire.caughtUp()
  expect(nameOf(wire)).toBe('Unread')
  const { seq } = (await directory.prepare('select max(seq) seq from directoryChange').first<{ seq: number }>()) ?? { seq: 0 }
  await directory.prepare('update directoryChange set at = at + 1 where seq = ?').bind(seq).run()
  await stubOf(person).notify()
  expect(await wire.hears('error')).toMatchObject({ kind: 'ServerOverloaded' })
})
