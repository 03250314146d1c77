// What an object of an earlier release left in its storage is gone on with by this one: the same browser comes back at its cookie and is told what
// it missed, its writes count on, and nothing is asked for that was known. Each fixture is the storage of an object of that release, as its own
// code left it, with the rows of the record at that moment; @user@ stands for its person. A release that stores otherwise adds one.
import { expect, test } from 'vitest'
import first from '../fixtures/object-storage/1-first.json'
import quota from '../fixtures/object-storage/2-quota.json'
import hint from '../fixtures/object-storage/3-hint.json'
import queue from '../fixtures/object-storage/4-queue.json'
import pages from '../fixtures/object-storage/5-pages.json'
import hintWithNow from '../fixtures/object-storage/6-hint-with-now.json'
import keptQueries from '../fixtures/object-storage/7-kept-queries.json'
import { nameOfRow } from '../support/row-ops.ts'
import { connectWire, env, evict, inside, me, newPerson, type Person, stubOf, threadList } from './sync-wire.ts'

type Rows = readonly { readonly [column: string]: string | number | null }[]
type Left = {
  readonly ddl: readonly string[]
  readonly tables: { readonly [table: string]: Rows }
  readonly record: { readonly [table: string]: Rows }
  readonly client: { readonly groupID: string; readonly clientID: string; readonly cookie: string; readonly lastMutationID: number }
}

const insertSql = (table: string, row: Rows[number]) =>
  `insert into "${table}" (${Object.keys(row)
    .map((column) => `"${column}"`)
    .join(', ')}) values (${Object.keys(row)
    .map(() => '?')
    .join(', ')})`

/** This person's record and object are those of the fixture. */
async function moveIn(person: Person, fixture: unknown): Promise<Left> {
  const left = JSON.parse(JSON.stringify(fixture).replaceAll('@user@', person.userId)) as Left
  await env.DB.batch([
    env.DB.prepare('delete from setting where userId = ?').bind(person.userId),
    ...Object.entries(left.record).flatMap(([table, rows]) =>
      rows.map((row) => env.DB.prepare(insertSql(table, row)).bind(...Object.values(row))),
    ),
  ])
  const ends = await Promise.all(
    ['content', 'directory'].map(async (feed) => ({
      feed,
      end: await env.DB.prepare(`select seq, at from ${feed}Change order by seq desc limit 1`).first<{ seq: number; at: number }>(),
    })),
  )
  await inside(person, (_object, { storage }) => {
    for (const statement of left.ddl) storage.sql.exec(statement)
    for (const [table, rows] of Object.entries(left.tables))
      for (const row of rows) storage.sql.exec(insertSql(table, row), ...Object.values(row))
    // Its feed has other numbers here.
    for (const { feed, end } of ends) {
      storage.sql.exec('update sync_meta set value = ? where name = ?', end?.seq ?? 0, feed)
      storage.sql.exec(
        `update sync_meta set value = json_set(value, '$.${feed}', json_object('seq', ?, 'atMs', ?)) where name = 'now'`,
        ...[end?.seq ?? 0, end?.at ?? 0],
      )
    }
    storage.kv.put('userId', person.userId)
  })
  await evict(person)
  return left
}

const one = (threadId: string) => ({ hash: 'one', name: 'threads.one', args: [{ threadId }] })

test.each([
  ['the first', first],
  ['one that counted writes', quota],
  ['one that wrote first pages', hint],
  ['one that knew versions and queues', queue],
  ['one that imports in pages', pages],
  ['one that records the first page with its progress', hintWithNow],
  ['one that looked through all queries at a wake', keptQueries],
] as const)('[C3] [E8] [F1] [P2] an object of %s release', async (_name, fixture) => {
  const person = await newPerson()
  const { client, record, tables } = await moveIn(person, fixture)
  const threadId = `${person.userId}-t1`
  await env.DB.prepare("update thread set title = 'While it slept' where id = ?").bind(threadId).run()
  const params = {
    clientGroupID: client.groupID,
    clientID: client.clientID,
    baseCookie: client.cookie,
    lmid: String(client.lastMutationID),
  }
  const wire = await connectWire(person, { params, init: { desiredQueriesPatch: [] } })
  // Its browser holds what it was told in the life before.
  for (const [table, rows] of Object.entries(tables)) for (const row of rows) wire.rows.set(nameOfRow(table, row.id), row)
  await wire.hears('pokeEnd')
  await wire.until(() => wire.row('thread', threadId)?.title === 'While it slept', 'what happened meanwhile')
  // It is not cleared, and hears of no row that it has.
  expect(wire.frames.map(([tag]) => tag)).not.toContain('error')
  expect(JSON.stringify(wire.frames)).not.toContain('"op":"clear"')
  expect(JSON.stringify(wire.frames)).not.toContain(`${person.userId}-t2`)
  expect((wire.cookie ?? '') > client.cookie).toBe(true)

  // Its writes count on, and the refusals it was told of are known until they are acknowledged.
  wire.push([{ name: 'settings.update', args: { nickname: 'Now' }, id: client.lastMutationID + 1 }])
  await wire.until(() => wire.lastMutationIDs.get(client.clientID) === client.lastMutationID + 1, 'its write')
  const sibling = await connectWire(person, { params: { clientGroupID: client.groupID }, queries: [me, threadList, one(threadId)] })
  await sibling.until(() => sibling.got.has('one'), 'everything')
  expect(sibling.results.size).toBe(record.mutationResult?.length)
  expect(sibling.rowsOf('setting')).toMatchObject([{ nickname: 'Now' }])
  expect(sibling.rowsOf('message')).toHaveLength(3)
  wire.send(['ackMutationResponses', { clientID: client.clientID, id: client.lastMutationID }])
  await sibling.until(() => sibling.results.size === 0, 'the end of the refusals')

  // What the replica holds is the record, column by column, and stays so in its next life.
  await evict(person)
  await env.DB.prepare("update thread set title = 'And again' where id = ?").bind(threadId).run()
  // A ping alone reads nothing: whoever writes says so.
  await stubOf(person).notify()
  await wire.until(() => wire.row('thread', threadId)?.title === 'And again', 'what happened in the next sleep')
  const { results } = await env.DB.prepare('select * from thread where userId = ? order by id').bind(person.userId).all()
  const held = await inside(person, (_object, { storage }) => storage.sql.exec('select * from thread order by id').toArray())
  const columns = Object.keys(held[0] ?? {})
  expect(held).toEqual(results.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]]))))
  await wire.close()
  await sibling.close()
})
