// Mutations that write much and cost nothing. Rules: worker/sync/SPEC.md, R14.
import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { batchesDuring } from './sync-object.ts'
import { connected, freshId, newUser, nickname, threadList } from './sync-wire.ts'
import { isWrite } from './watched-db.ts'

test('[R14] threads that are copied are committed one by one, and others share a commit', async () => {
  const user = await newUser()
  const threadId = freshId('thread')
  const message = JSON.stringify({ role: 'user', parts: [{ type: 'text', text: 'x' }] })
  await content.batch([
    content
      .prepare("insert into thread (id, userId, status, headId, createdAt, updatedAt) values (?1, ?2, 'ready', ?1 || '-300', 1, 1)")
      .bind(...[threadId, user.userId]),
    content
      .prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < 300)
       insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt)
       select ?1 || '-' || i, ?1, ?2, iif(i = 1, null, ?1 || '-' || (i - 1)), json_set(?3, '$.id', ?1 || '-' || i), i, i from n`,
      )
      .bind(threadId, user.userId, message),
  ])
  const wire = await connected(user, { queries: [threadList] })
  const forks = Array.from({ length: 3 }, (_, i) => ({
    name: 'threads.fork',
    args: { threadId, messageId: `${threadId}-300`, newThreadId: `${threadId}-fork${i}`, at: 1 },
  }))
  const { batches } = await batchesDuring(user, () =>
    wire.confirmed(wire.push([nickname('First'), nickname('Second'), ...forks, nickname('Behind them')])),
  )
  expect(wire.results.size).toBe(0)
  // The nicknames before the copies share a commit.
  expect(batches.filter((texts) => texts.some(isWrite))).toHaveLength(5)
  expect(await content.prepare('select count(*) n from message where userId = ?').bind(user.userId).first('n')).toBe(4 * 300)
  await wire.close()
})
