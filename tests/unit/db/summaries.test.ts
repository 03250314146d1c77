// Summaries in D1: one per path, for the owner of the thread, deleted with its messages. Rules: worker/turns/SPEC.md, S4.
import { beforeEach, describe, expect, test } from 'vitest'
import { purgeMessages } from '../../../worker/db/cleanup.ts'
import { countedOnce } from '../../../worker/db/content-use.ts'
import { classifyD1Error } from '../../../worker/db/errors.ts'
import { exportOf } from '../../../worker/db/export.ts'
import { storeSummary } from '../../../worker/db/summaries.ts'
import { contentParts, type D1Write, partStatement } from '../../../worker/db/writes.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { insert, messageRow, summaryRow, threadRow } from '../../support/rows.ts'

let DB = createNodeD1()
beforeEach(async () => {
  DB = createNodeD1()
  await insert(DB, 'thread', threadRow('ada', { id: 'thread' }))
  await insert(DB, 'message', messageRow('ada', 'thread', { id: 'q1' }))
  await insert(DB, 'message', messageRow('ada', 'thread', { id: 'a1', parentId: 'q1' }))
})

const given = { id: 'a1', userId: 'ada', threadId: 'thread', text: 'Tea was discussed.', tokens: 9_000 }
const store = (fields: Partial<typeof given> = {}) => storeSummary({ DB }, { ...given, ...fields }, 5)
const stored = async () => (await DB.prepare('select * from summary').all()).results

test('[S5] a path has one summary: a second one is not stored, and the first is returned', async () => {
  expect(await store()).toEqual({ text: given.text, userId: 'ada' })
  expect(await store({ text: 'Coffee was discussed.' })).toEqual({ text: given.text, userId: 'ada' })
  expect(await stored()).toEqual([{ ...given, createdAt: 5 }])
})

test.each([
  ['a message that is gone', { id: 'gone' }],
  ['a message of another thread', { threadId: 'other' }],
  ['a message of another user', { userId: 'ben' }],
])('stores nothing for %s', async (_what, fields) => {
  expect(await store(fields)).toBeNull()
  expect(await stored()).toEqual([])
})

test('is stored for the account that a guest became', async () => {
  await DB.prepare("update thread set userId = 'account'").run()
  await DB.prepare("update message set userId = 'account'").run()
  await DB.prepare("insert into linking (guestId, accountId, createdAt) values ('ada', 'account', 1)").run()
  expect(await store()).toEqual({ text: given.text, userId: 'account' })
})

test('a row of another owner than its message is refused', async () => {
  const error = await insert(DB, 'summary', summaryRow('ben', 'thread', 'a1')).catch(classifyD1Error)
  expect(error).toEqual({ kind: 'guard', code: 'foreign_thread' })
})

describe('[S4] a summary is deleted', () => {
  test('with a purged message that it covers', async () => {
    await store()
    await DB.prepare("update message set deletedAt = 1 where id = 'q1'").run()
    await purgeMessages(DB, Date.now())
    expect(await stored()).toEqual([])
  })

  test('with its thread', async () => {
    await store()
    await DB.prepare('delete from thread').run()
    expect(await stored()).toEqual([])
  })
})

test('is exported, except that of a temporary thread', async () => {
  await store()
  await insert(DB, 'thread', threadRow('ada', { id: 'temporary', expiresAt: 9 }))
  await insert(DB, 'message', messageRow('ada', 'temporary', { id: 'q2' }))
  await store({ id: 'q2', threadId: 'temporary' })
  let text = ''
  for await (const part of exportOf({ DB }, 'ada', 1, async () => undefined)) text += part
  expect(JSON.parse(text).summaries).toEqual([{ id: 'a1', threadId: 'thread', text: given.text, tokens: 9_000, createdAt: 5 }])
})

test('[S4] the summaries of a fork are written after its messages, and counted', async () => {
  const insertOf = (table: 'thread' | 'message' | 'summary', row: D1Write['row']): D1Write => ({
    kind: 'insert',
    table,
    row: { ...row, userId: 'ada' },
  })
  const copied = (id: string, parentId: string | null) => insertOf('message', { id, threadId: 'fork', parentId, message: {}, createdAt: 1 })
  const writes = [
    insertOf('thread', { id: 'fork', createdAt: 1, updatedAt: 1 }),
    copied('fork-0', null),
    copied('fork-1', 'fork-0'),
    insertOf('summary', { ...given, id: 'fork-1', threadId: 'fork', createdAt: 5 }),
  ]
  const rowsOf = async () => (await DB.prepare("select rows from contentUse where userId = 'ada'").first<number>('rows')) ?? 0
  const before = await rowsOf()
  await DB.batch([
    ...countedOnce(
      DB,
      'ada',
      contentParts(writes).map((part) => partStatement(DB, 'ada', part)),
    ),
  ])
  expect(await stored()).toEqual([{ ...given, id: 'fork-1', threadId: 'fork', createdAt: 5 }])
  expect((await rowsOf()) - before).toBe(4)
})
