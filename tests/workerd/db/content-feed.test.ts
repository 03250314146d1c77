// The content's feed: every write leaves a row for its owner, in the transaction of the write.
import { describe, expect, test } from 'vitest'
import { newId } from '../../../worker/db/new-id.ts'
import { feedEnd, feedOf, insert, insertStatement, ledgerRow, messageRow, queuedRow, threadRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'

const { DB } = env
const run = (sql: string, ...binds: (string | number | null)[]) =>
  DB.prepare(sql)
    .bind(...binds)
    .run()

async function user() {
  const userId = newId()
  const thread = threadRow(userId)
  await insert(DB, 'thread', thread)
  return { userId, threadId: String(thread.id) }
}

describe.each([
  ['thread', async (userId: string, _threadId: string) => threadRow(userId), 'title'],
  ['message', async (userId: string, threadId: string) => messageRow(userId, threadId), 'message'],
  ['queuedMessage', async (userId: string, threadId: string) => queuedRow(userId, threadId), 'text'],
  ['setting', async (userId: string) => ({ id: newId(), userId }), 'nickname'],
  ['usage', async (userId: string) => ({ id: newId(), userId }), 'search'],
] as const)('%s', (table, build, column) => {
  test('insert, update and delete are i, u and d for its owner', async () => {
    const { userId, threadId } = await user()
    const since = await feedEnd(DB, 'contentChange')
    const row = await build(userId, threadId)
    await insert(DB, table, row)
    await run(`update ${table} set ${column} = '7' where id = ?`, String(row.id))
    await run(`delete from ${table} where id = ?`, String(row.id))
    expect(await feedOf(DB, 'contentChange', `user:${userId}`, since)).toEqual(['i', 'u', 'd'].map((op) => `${op} ${table}:${row.id}`))
  })
})

test('a row with a new owner is deleted for one and inserted for the other', async () => {
  const { userId, threadId } = await user()
  const heir = newId()
  const message = messageRow(userId, threadId)
  await insert(DB, 'message', message)
  const since = await feedEnd(DB, 'contentChange')
  await DB.batch([
    DB.prepare('update thread set userId = ? where id = ?').bind(heir, threadId),
    DB.prepare('update message set userId = ? where threadId = ?').bind(heir, threadId),
  ])
  expect(await feedOf(DB, 'contentChange', `user:${userId}`, since)).toEqual([`d thread:${threadId}`, `d message:${message.id}`])
  expect(await feedOf(DB, 'contentChange', `user:${heir}`, since)).toEqual([`i thread:${threadId}`, `i message:${message.id}`])
})

test('deleting a thread deletes its messages, with a feed row each', async () => {
  const { userId, threadId } = await user()
  const message = messageRow(userId, threadId)
  await insert(DB, 'message', message)
  const since = await feedEnd(DB, 'contentChange')
  await run('delete from thread where id = ?', threadId)
  expect((await feedOf(DB, 'contentChange', `user:${userId}`, since)).sort()).toEqual([`d message:${message.id}`, `d thread:${threadId}`])
})

test('an update that changes no synced value writes no row', async () => {
  const { userId, threadId } = await user()
  const turnId = newId()
  await insert(DB, 'creditLedger', ledgerRow(userId, turnId, 'reserve'))
  const since = await feedEnd(DB, 'contentChange')
  await run('update thread set title = title where id = ?', threadId)
  // The trigger of the ledger updates the usage row to the same counts.
  await insert(DB, 'creditLedger', ledgerRow(userId, turnId, 'settle'))
  expect(await feedOf(DB, 'contentChange', null, since)).toEqual([])
})

test('a batch that fails leaves neither rows nor feed', async () => {
  const { userId } = await user()
  const since = await feedEnd(DB, 'contentChange')
  const twice = threadRow(userId)
  const batch = DB.batch([insertStatement(DB, 'thread', twice), insertStatement(DB, 'thread', twice)])
  await expect(batch).rejects.toThrow(/UNIQUE constraint failed: thread.id/)
  expect(await feedOf(DB, 'contentChange', `user:${userId}`, since)).toEqual([])
  expect(await DB.prepare('select id from thread where id = ?').bind(String(twice.id)).first()).toBeNull()
})

test('a change has a time', async () => {
  const before = Date.now()
  const { userId } = await user()
  const at = await DB.prepare('select at from contentChange where scope = ?').bind(`user:${userId}`).first<number>('at')
  expect(at).toBeGreaterThanOrEqual(before - 1000)
  expect(at).toBeLessThanOrEqual(Date.now() + 1000)
})
