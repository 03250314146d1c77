// Visible uses of files in random trees and histories, compared with the rule shared by client and server.
import { expect, test } from 'vitest'
import { isVisible, pathTo } from '../../../worker/contract/threads/branches.ts'
import { hiddenFilesStatements, hideAroundMessageSql, hideInThreadSql } from '../../../worker/db/hidden-files.ts'
import { type D1Write, rowStatement } from '../../../worker/db/writes.ts'
import { migratedDb } from '../../support/migrated-db.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { createRng } from '../../support/rng.ts'
import { insert, messageRow, queuedRow, threadRow } from '../../support/rows.ts'

type MessageState = { readonly id: string; readonly parentId: string | null; deletedAt: number | null }

test.each(Array.from({ length: 6 }, (_, seed) => seed))('seed %i', async (seed) => {
  const rng = createRng(seed)
  const db = createNodeD1()
  const thread = threadRow('ada')
  const threadId = String(thread.id)
  await insert(db, 'thread', thread)
  await insert(db, 'attachment', {
    id: 'any',
    userId: 'ada',
    uploadId: 'any',
    name: 'any',
    mediaType: 'image/png',
    sizeBytes: 1,
    createdAt: 1,
  })
  // Another user's thread, which must not change.
  const otherThread = threadRow('ada')
  await insert(db, 'thread', otherThread)
  const messages: MessageState[] = []
  const uses: { readonly attachmentId: string; readonly holder: string; readonly holderId: string }[] = []
  for (let n = 0; n < 40; n++) {
    const parentId = n === 0 || rng.chance(0.1) ? null : rng.pick(messages).id
    const row = messageRow('ada', threadId, { id: `message-${n}`, parentId })
    await insert(db, 'message', row)
    messages.push({ id: String(row.id), parentId, deletedAt: null })
    if (rng.chance(0.6)) uses.push({ attachmentId: `file-${rng.below(20)}`, holder: 'message', holderId: String(row.id) })
  }
  const queued = queuedRow('ada', threadId)
  await insert(db, 'queuedMessage', queued)
  uses.push({ attachmentId: 'waiting', holder: 'queuedMessage', holderId: String(queued.id) })
  const other = messageRow('ada', String(otherThread.id))
  await insert(db, 'message', other)
  await insert(db, 'attachmentUse', { attachmentId: 'file-1', holder: 'message', holderId: String(other.id) })
  for (const use of uses) await insert(db, 'attachmentUse', use)

  let threadDeletedAt: number | null = null
  for (let at = 100; at < 140; at++) {
    const deletedAt = rng.chance(0.5) ? at : null
    const message = rng.chance(0.2) ? null : rng.pick(messages)
    const id = message ? message.id : threadId
    const write: D1Write = { kind: 'update', table: message ? 'message' : 'thread', row: { id, deletedAt } }
    await db.batch([rowStatement(db, 'ada', write), ...hiddenFilesStatements(db, write)])
    if (message) message.deletedAt = deletedAt
    else threadDeletedAt = deletedAt

    const sinceOf = (holderId: string): number | null => {
      const times = [threadDeletedAt, ...pathTo(messages, holderId).map((above) => above.deletedAt)].filter((time) => time !== null)
      expect(times.length === 0).toBe(threadDeletedAt === null && isVisible(messages, holderId))
      return times.length === 0 ? null : Math.min(...times)
    }
    const { results } = await db
      .prepare('select holderId, hiddenSince from attachmentUse')
      .all<{ holderId: string; hiddenSince: number | null }>()
    const expected = results.map(({ holderId }) => ({ holderId, hiddenSince: holderId === other.id ? null : sinceOf(holderId) }))
    expect(results).toEqual(expected)
  }
})

test.each([hideInThreadSql, hideAroundMessageSql])('no message is read for a user without files', (sql) => {
  const database = migratedDb()
  database.exec(`
    insert into thread (id, userId, createdAt, updatedAt) values ('t', 'ada', 1, 1);
    insert into message (id, threadId, userId, message) values ('t', 't', 'ada', '{}');
  `)
  // Fails where a message is read.
  const reading = sql.replace('select id, parentId from message', 'select json(id), parentId from message')
  const hide = () => database.prepare(reading).run('t')
  hide()
  database.exec(
    "insert into attachment (id, userId, uploadId, name, mediaType, sizeBytes, createdAt) values ('f', 'ada', 'u', 'f', 'text/plain', 1, 1)",
  )
  expect(hide).toThrow('malformed JSON')
})
