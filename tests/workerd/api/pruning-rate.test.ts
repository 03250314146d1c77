// The scheduled job removes rows faster than a million turns a day add them. Compares rows written by real turns with rows of one run.

import { expect, test } from 'vitest'
import { deletedThreadRetentionMs } from '../../../worker/contract/limits.ts'
import { feedRetentionMs, pruneFeed, purgeThreads, rowsPerRun, runsPerDay, threadsPerRun } from '../../../worker/db/cleanup.ts'
import { auditOnly } from '../audit.ts'
import { content } from '../bindings.ts'
import { connected, me, newUser, recentThreads, turnArgs } from '../sync-wire.ts'

// Rows inserted by this test belong to no complete turn.
auditOnly('usage')

const turnsPerDay = 1_000_000
const count = async (sql: string, ...values: (string | number)[]) =>
  (await content
    .prepare(sql)
    .bind(...values)
    .first<number>('n')) ?? -1

/** Rows of these tables are removed by age. The others are removed with their thread or their account. */
const prunable = ['contentChange', 'directoryChange', 'mutationResult', 'clientProgress'] as const
const rowsOf = async (table: (typeof prunable)[number], userId: string) =>
  table.endsWith('Change')
    ? count(`select count(*) n from ${table} where scope in (?, '*')`, `user:${userId}`)
    : count(`select count(*) n from ${table} where userId = ?`, userId)

test('a million turns a day write fewer rows than the daily runs remove, including deleted threads', async () => {
  const user = await newUser()
  const { userId } = user
  const wire = await connected(user, { queries: [me, recentThreads] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'Ada' }))
  const before = new Map(await Promise.all(prunable.map(async (table) => [table, await rowsOf(table, userId)] as const)))
  const turns = 10
  for (let n = 0; n < turns; n++) {
    // The most expensive turn: it starts a thread, which gets a better title.
    const args = turnArgs('/demo chunks=1 delay=0 say=Hello')
    await wire.confirmed(wire.mutate('threads.send', args))
    await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the answer ends')
    await wire.confirmed(wire.mutate('threads.delete', { threadIds: [args.threadId], at: 1 }))
  }
  await wire.close()
  await content.prepare('update thread set deletedAt = 1 where userId = ?').bind(userId).run()
  expect(await purgeThreads(content, Date.now())).toBe(turns)
  const written = await Promise.all(prunable.map(async (table) => (await rowsOf(table, userId)) - (before.get(table) ?? 0)))
  const perTurn = Object.fromEntries(prunable.map((table, i) => [table, (written[i] ?? 0) / turns]))
  expect(perTurn).toMatchObject({ directoryChange: 0, mutationResult: 0, clientProgress: 0 })
  expect(perTurn.contentChange).toBeGreaterThan(5)
  expect((perTurn.contentChange ?? Number.POSITIVE_INFINITY) * turnsPerDay).toBeLessThan(rowsPerRun * runsPerDay)
  expect(turnsPerDay).toBeLessThan(threadsPerRun * runsPerDay)
})

test('one run removes its share of an old feed, and leaves the rest to the next', async () => {
  const nowMs = Date.now()
  await content
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
     insert into contentChange (scope, tbl, rowId, op, at) select 'u', 'thread', 'r', 'u', ?2 from n`,
    )
    .bind(rowsPerRun + 2500, nowMs - feedRetentionMs - 1)
    .run()
  const all = await count('select count(*) n from contentChange')
  // The rows of earlier tests are older in the feed, so they also need an old time.
  await content
    .prepare('update contentChange set at = ?')
    .bind(nowMs - feedRetentionMs - 1)
    .run()
  expect(await pruneFeed(content, 'contentChange', nowMs)).toBe(rowsPerRun)
  expect(await pruneFeed(content, 'contentChange', nowMs)).toBe(all - rowsPerRun - 1)
})

test('one run removes its share of deleted threads with their messages', async () => {
  const old = Date.now() - deletedThreadRetentionMs - 1
  const more = 100
  await content.batch([
    content
      .prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
       insert into thread (id, userId, createdAt, updatedAt, deletedAt) select 'pruned-' || i, 'pruned', 1, 1, ?2 from n`,
      )
      .bind(threadsPerRun + more, old),
    content.prepare(
      "insert into message (id, threadId, userId, message) select 'said-' || id, id, 'pruned', '{}' from thread where userId = 'pruned'",
    ),
  ])
  expect(await purgeThreads(content, Date.now())).toBe(threadsPerRun)
  expect(await count("select count(*) n from message where userId = 'pruned'")).toBe(more)
  expect(await count("select rows n from contentUse where userId = 'pruned'")).toBe(2 * more)
  expect(await purgeThreads(content, Date.now())).toBe(more)
})
