// Scheduled work: deletes what is older than its limit, and removes feed rows from the start only.

import { expect, test } from 'vitest'
import { deletedThreadRetentionMs } from '../../../worker/contract/limits.ts'
import { feedRetentionMs, pruneFeed, pruneProgress, readOpenTurnsBefore } from '../../../worker/db/cleanup.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { newUserId } from '../../../worker/db/shards.ts'
import { systemClock } from '../../../worker/lib/clock.ts'
import { runScheduledWork } from '../../../worker/scheduled.ts'
import { generationRow, insert, insertStatement, messageRow, threadRow } from '../../support/rows.ts'
import { auditOnly } from '../audit.ts'
import { content, env, worker } from '../bindings.ts'

// Rows inserted by this test belong to no complete turn.
auditOnly('usage')

const { DB } = env
const count = async (sql: string, ...binds: string[]) =>
  (await content
    .prepare(sql)
    .bind(...binds)
    .first<number>('n')) ?? -1

/** Like the platform: through the Worker's handler, which is missing in its type here. */
async function runScheduled(): Promise<void> {
  const { scheduled } = worker as unknown as { scheduled(controller: { readonly cron: string }): Promise<void> }
  await scheduled({ cron: '*/5 * * * *' })
}

async function openTurn(userId: string, createdAt: number, objectId = 'an object of another namespace') {
  const thread = threadRow(userId, { status: 'submitted' })
  const turn = generationRow(userId, String(thread.id), { createdAt, objectId })
  await content.batch([insertStatement(content, 'thread', thread), insertStatement(content, 'generation', turn)])
  return turn
}

test('deletes threads with their messages 30 days after their deletion', async () => {
  const userId = newUserId(env)
  const ago = (ms: number) => Date.now() - ms
  const [live, undoable, old] = [
    {},
    { deletedAt: ago(deletedThreadRetentionMs - 60_000) },
    { deletedAt: ago(deletedThreadRetentionMs + 60_000) },
  ].map((fields) => threadRow(userId, fields))
  if (!live || !undoable || !old) throw new Error('three threads')
  for (const thread of [live, undoable, old]) {
    await insert(content, 'thread', thread)
    await insert(content, 'message', messageRow(userId, String(thread.id)))
  }
  await runScheduled()
  const { results } = await content.prepare('select id from thread where userId = ?').bind(userId).all<{ id: string }>()
  expect(results.map(({ id }) => id).sort()).toEqual([live.id, undoable.id].sort())
  expect(await count('select count(*) n from message where userId = ?', userId)).toBe(2)
})

test('deletes messages with their replies 30 days after their deletion', async () => {
  const userId = newUserId(env)
  const thread = threadRow(userId)
  await insert(content, 'thread', thread)
  const old = Date.now() - deletedThreadRetentionMs - 60_000
  const rows = [
    { id: 'first', deletedAt: null },
    { id: 'undoable', parentId: 'first', deletedAt: old + 120_000 },
    { id: 'old', parentId: 'first', deletedAt: old },
    { id: 'below', parentId: 'old' },
    { id: 'far-below', parentId: 'below', deletedAt: old + 120_000 },
    { id: 'beside', parentId: 'first' },
  ]
  for (const row of rows) await insert(content, 'message', messageRow(userId, String(thread.id), row))
  await runScheduled()
  const { results } = await content.prepare('select id from message where userId = ? order by id').bind(userId).all<{ id: string }>()
  expect(results.map(({ id }) => id)).toEqual(['beside', 'first', 'undoable'])
})

test('deletes more threads than one slice', async () => {
  const userId = newUserId(env)
  await content.batch(Array.from({ length: 55 }, () => insertStatement(content, 'thread', threadRow(userId, { deletedAt: 1 }))))
  await runScheduled()
  expect(await count('select count(*) n from thread where userId = ?', userId)).toBe(0)
})

test('deletes expired sessions and codes', async () => {
  const userId = newUserId(env)
  await insert(DB, 'user', { id: userId, name: 'x', email: `${userId}@x.test`, createdAt: 1, updatedAt: 1 })
  const session = (id: string, expiresAt: number) => insert(DB, 'session', { id, token: id, userId, expiresAt, createdAt: 1, updatedAt: 1 })
  await session('expired', Date.now() - 1000)
  await session('valid', Date.now() + 60_000)
  await insert(DB, 'verification', { id: 'code', identifier: 'a', value: 'b', expiresAt: 1, createdAt: 1, updatedAt: 1 })
  await runScheduled()
  const { results } = await DB.prepare('select id from session where userId = ?').bind(userId).all()
  expect(results).toEqual([{ id: 'valid' }])
  expect(await count('select count(*) n from verification')).toBe(0)
})

test('checks turns that have been open for a minute, not younger ones', async () => {
  const userId = newUserId(env)
  const lost = await openTurn(userId, Date.now() - 61_000)
  const young = await openTurn(userId, Date.now())
  expect(await readOpenTurnsBefore(content, Date.now() - 60_000)).toEqual([{ generationId: lost.id, userId, objectId: lost.objectId }])
  await runScheduled()
  const statusOf = (id: unknown) => content.prepare('select status from generation where id = ?').bind(String(id)).first('status')
  expect([await statusOf(lost.id), await statusOf(young.id)]).toEqual(['interrupted', 'open'])
})

test('an unreachable object does not stop the check of other turns or other jobs', async () => {
  const [userId, unreachableId] = [newUserId(env), newUserId(env)]
  const objectId = env.GENERATION.newUniqueId()
  const [broken, lost] = [await openTurn(unreachableId, 1, objectId.toString()), await openTurn(userId, 2)]
  await insert(content, 'thread', threadRow(userId, { deletedAt: 1 }))
  const { GENERATION } = env
  const unreachable = {
    idFromString: (id: string) => GENERATION.idFromString(id),
    newUniqueId: () => GENERATION.newUniqueId(),
    get: (id: DurableObjectId) => {
      if (id.equals(objectId)) throw new Error('no such object')
      return GENERATION.get(id)
    },
  }
  const failing = { ...env, GENERATION: unreachable as unknown as typeof GENERATION }
  // Earlier tests left no open turn older than a minute.
  expect(await runScheduledWork(failing, systemClock)).toMatchObject({ recoveredTurns: 1, purgedThreads: 1, prunedContentFeed: 0 })
  const statusOf = (id: unknown) => content.prepare('select status from generation where id = ?').bind(String(id)).first('status')
  expect([await statusOf(broken.id), await statusOf(lost.id)]).toEqual(['open', 'interrupted'])
})

test('[A1] deletes old feed rows without gaps and never the newest', async () => {
  await content.exec('delete from contentChange')
  const nowMs = Date.now()
  const [old, young] = [nowMs - feedRetentionMs - 1, nowMs]
  const add = (at: number) =>
    content.prepare("insert into contentChange (scope, tbl, rowId, op, at) values ('u', 'thread', 'r', 'i', ?)").bind(at)
  // After a clock that went backwards, an old row may follow a young one. It must stay, or a reader could not detect a gap.
  await content.batch([add(old), add(old), add(young), add(old), add(young)])
  const before = (await content.prepare('select seq from contentChange order by seq').all<{ seq: number }>()).results.map(({ seq }) => seq)
  expect(await pruneFeed(content, 'contentChange', nowMs)).toBe(2)
  const after = (await content.prepare('select seq from contentChange order by seq').all<{ seq: number }>()).results.map(({ seq }) => seq)
  expect(after).toEqual(before.slice(2))

  await content.exec('update contentChange set at = 1')
  await pruneFeed(content, 'contentChange', nowMs)
  expect((await content.prepare('select seq from contentChange').all<{ seq: number }>()).results).toEqual([{ seq: before.at(-1) }])
  await add(young).run()
  expect(await content.prepare('select max(seq) seq from contentChange').first('seq')).toBe((before.at(-1) ?? 0) + 1)
})

test('[A8] deletes the progress of a client 180 days after its last mutation', async () => {
  const dayMs = 24 * 60 * 60 * 1000
  const [nowMs, userId] = [Date.now(), newId()]
  for (const [clientID, days] of [
    ['gone', 181],
    ['quiet', 179],
  ] as const)
    await insert(content, 'clientProgress', { clientGroupID: userId, clientID, userId, lastMutationID: 3, updatedAt: nowMs - days * dayMs })
  expect(await pruneProgress(content, nowMs)).toBe(1)
  const { results } = await content.prepare('select clientID from clientProgress where userId = ?').bind(userId).all()
  expect(results).toEqual([{ clientID: 'quiet' }])
})
