// The files that count towards a user's storage, on the real D1: visible files, uploads, and deleted files up to a limit.
import { beforeEach, expect, test } from 'vitest'
import { fileAddress } from '../../../worker/contract/files/files.ts'
import { deletedThreadRetentionMs } from '../../../worker/contract/limits.ts'
import { beginMadeFile, beginUpload } from '../../../worker/db/attachments.ts'
import { hiddenFilesStatements } from '../../../worker/db/hidden-files.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { rowStatement } from '../../../worker/db/writes.ts'
import { insert, messageRow, queuedRow, threadRow } from '../../support/rows.ts'
import { content } from '../bindings.ts'
import { connected, me, newUser, recentThreads } from '../sync-wire.ts'

const maxBytes = 1000
let userId: string
beforeEach(() => {
  userId = newId()
})

type File = { readonly id: string; readonly name: string; readonly mediaType: string; readonly sizeBytes: number }

/** Half of the bytes are those of the original. */
async function file(storedBytes: number): Promise<File> {
  const shown = { id: newId(), name: 'a.png', mediaType: 'image/png', sizeBytes: storedBytes / 2 }
  const row = { ...shown, originalBytes: storedBytes / 2, userId, uploadId: newId() }
  await insert(content, 'attachment', { ...row, storedAt: 1, etag: 'x', unusedSince: 1, createdAt: 1 })
  return shown
}

async function thread(): Promise<string> {
  const row = threadRow(userId)
  await insert(content, 'thread', row)
  return String(row.id)
}

async function message(threadId: string, shown: readonly File[] = [], parentId: string | null = null): Promise<string> {
  const parts = shown.map(({ id, name, mediaType, sizeBytes }) => {
    return { type: 'file', url: fileAddress(id), filename: name, mediaType, sizeBytes }
  })
  const row = messageRow(userId, threadId, { parentId, message: JSON.stringify({ id: 'm', role: 'user', parts }) })
  await insert(content, 'message', row)
  return String(row.id)
}

/** As a mutation writes it. */
function remove(table: 'thread' | 'message', id: string, deletedAt: number | null = 2): Promise<unknown> {
  const write = { kind: 'update', table, row: { id, deletedAt } } as const
  return content.batch([rowStatement(content, userId, write), ...hiddenFilesStatements(content, write)])
}

/** The current maximum of an upload, checked by both writers of files; nothing is stored. */
async function freeBytes(): Promise<number> {
  let most = 0
  for (const sizeBytes of [1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]) {
    const named = { id: newId(), userId, name: 'b', mediaType: 'text/plain' as const, sizeBytes }
    const { type } = await beginUpload(content, { ...named, uploadId: newId() }, { maxBytes, perHour: 100 }, 1)
    await content.prepare('delete from attachment where id = ?').bind(named.id).run()
    const refused = await beginMadeFile(content, { ...named, generationId: newId() }, maxBytes, 1)
    await content.prepare('delete from attachment where id = ?').bind(named.id).run()
    expect(type).toBe(refused?.type ?? 'begun')
    if (!refused) most = sizeBytes
  }
  return most
}

test('a file forked several times does not count when each of its threads was deleted', async () => {
  const shown = await file(700)
  const threads = await Promise.all(Array.from({ length: 40 }, thread))
  for (const threadId of threads) await message(threadId, [shown])
  for (const threadId of threads.slice(1)) await remove('thread', threadId)
  expect(await freeBytes()).toBe(300)
  const [last = ''] = threads
  await remove('thread', last)
  expect(await freeBytes()).toBe(1000)
  await remove('thread', last, null)
  expect(await freeBytes()).toBe(300)
})

test('a message at any depth below a deleted one does not count, and counts again after undo', async () => {
  const threadId = await thread()
  const first = await message(threadId)
  const rows = Array.from({ length: 300 }, () => newId())
  const statement = 'insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt) values (?, ?, ?, ?, ?, 1, 1)'
  const messageJson = JSON.stringify({ role: 'user', parts: [] })
  await content.batch(rows.map((id, n) => content.prepare(statement).bind(id, threadId, userId, rows[n - 1] ?? first, messageJson)))
  await message(threadId, [await file(700)], rows.at(-1))
  await remove('message', first)
  expect(await freeBytes()).toBe(1000)
  await remove('message', first, null)
  expect(await freeBytes()).toBe(300)
})

test('what was deleted twice returns with the second undo', async () => {
  const threadId = await thread()
  const first = await message(threadId)
  const second = await message(threadId, [], first)
  await message(threadId, [await file(700)], second)
  await remove('message', second)
  await remove('message', first)
  await remove('thread', threadId)
  for (const [table, id] of [
    ['thread', threadId],
    ['message', second],
  ] as const) {
    await remove(table, id, null)
    expect(await freeBytes()).toBe(1000)
  }
  await remove('message', first, null)
  expect(await freeBytes()).toBe(300)
})

test('a file generated in a deleted thread does not count', async () => {
  const threadId = await thread()
  await remove('thread', threadId)
  await message(threadId, [await file(700)])
  expect(await freeBytes()).toBe(1000)
  await remove('thread', threadId, null)
  expect(await freeBytes()).toBe(300)
})

test('a user at the limit of deleted files gets their size and removal time, not the advice to delete more', async () => {
  for (const [sizeBytes, deletedAt] of [
    [300, 5000],
    [700, 4000],
    [500, 3000],
  ] as const) {
    const threadId = await thread()
    await message(threadId, [await file(sizeBytes)])
    await remove('thread', threadId, deletedAt)
  }
  const asked = (sizeBytes: number) =>
    beginUpload(
      content,
      { id: newId(), userId, uploadId: newId(), name: 'b', mediaType: 'text/plain', sizeBytes },
      { maxBytes, perHour: 9 },
      1,
    )
  expect(await asked(600)).toEqual({ type: 'storage_held', heldBytes: 1500, untilMs: 3000 + deletedThreadRetentionMs })
  const shown = await thread()
  await message(shown, [await file(400)])
  expect(await asked(600)).toEqual({ type: 'storage_held', heldBytes: 1500, untilMs: 3000 + deletedThreadRetentionMs })
  expect(await asked(601)).toEqual({ type: 'storage_full' })
  await message(shown, [await file(500)])
  expect(await asked(100)).toEqual({ type: 'storage_held', heldBytes: 1500, untilMs: 3000 + deletedThreadRetentionMs })
})

test('a deleted thread frees its space at once, and undo counts it again', async () => {
  const threadId = await thread()
  await message(threadId, [await file(700)])
  await message(threadId, [await file(300)])
  expect(await freeBytes()).toBe(0)
  await remove('thread', threadId)
  expect(await freeBytes()).toBe(1000)
  const other = await thread()
  await message(other, [await file(600)])
  expect(await freeBytes()).toBe(400)
  await remove('thread', threadId, null)
  expect(await freeBytes()).toBe(0)
})

test('the same for a deleted message with those below it, and for nothing else of its thread', async () => {
  const threadId = await thread()
  const first = await message(threadId, [await file(100)])
  const second = await message(threadId, [await file(200)], first)
  const answer = await message(threadId, [], second)
  await message(threadId, [await file(300)], answer)
  await message(threadId, [await file(400)], first)
  expect(await freeBytes()).toBe(0)
  await remove('message', second)
  expect(await freeBytes()).toBe(500)
  await remove('message', second, null)
  await remove('message', answer)
  expect(await freeBytes()).toBe(300)
})

test('files shown elsewhere, queued or unsent count', async () => {
  const [kept, deleted] = [await thread(), await thread()]
  const [copied, queued, waiting] = [await file(100), await file(200), await file(300)]
  await file(400)
  await message(deleted, [copied, queued])
  await message(kept, [copied])
  await insert(content, 'queuedMessage', queuedRow(userId, kept, { files: JSON.stringify([queued]) }))
  await insert(content, 'queuedMessage', queuedRow(userId, deleted, { files: JSON.stringify([waiting]) }))
  expect(await freeBytes()).toBe(0)
  await remove('thread', deleted)
  expect(await freeBytes()).toBe(300)
})

test('deleted files may use as much as the limit again, and no more', async () => {
  for (const sizeBytes of [900, 800]) {
    const threadId = await thread()
    await message(threadId, [await file(sizeBytes)])
    await remove('thread', threadId)
  }
  expect(await freeBytes()).toBe(300)
})

test('generated files do not count as uploads of the hour', async () => {
  const limit = { maxBytes, perHour: 2 }
  const begin = () =>
    beginUpload(content, { id: newId(), userId, uploadId: newId(), name: 'b', mediaType: 'text/plain', sizeBytes: 1 }, limit, Date.now())
  for (const generationId of [newId(), newId(), newId()])
    expect(
      await beginMadeFile(content, { ...(await file(1)), id: newId(), userId, generationId, mediaType: 'image/png' }, maxBytes, Date.now()),
    ).toBeNull()
  expect([(await begin()).type, (await begin()).type, (await begin()).type]).toEqual(['begun', 'begun', 'uploads_too_often'])
})

test('deleting hides files in the same write, and undo shows them in the same write', async () => {
  const user = await newUser()
  userId = user.userId
  const threadId = await thread()
  const first = await message(threadId)
  const shown = await file(1)
  await message(threadId, [shown], await message(threadId, [], first))
  const version = await message(threadId)
  await content.prepare('update thread set headId = ? where id = ?').bind(version, threadId).run()
  const wire = await connected(user, { queries: [me, recentThreads] })
  const isHidden = async () => {
    const since = await content
      .prepare('select hiddenSince from attachmentUse where attachmentId = ?')
      .bind(shown.id)
      .first<number>('hiddenSince')
    return since !== null
  }
  for (const [name, args, hidden] of [
    ['threads.delete', { threadIds: [threadId], at: 1 }, true],
    ['threads.restore', { threadIds: [threadId] }, false],
    ['messages.delete', { threadId, messageId: first, at: 1 }, true],
    ['messages.restore', { threadId, messageId: first }, false],
  ] as const) {
    await wire.confirmed(wire.mutate(name, args))
    expect({ name, isHidden: await isHidden() }).toEqual({ name, isHidden: hidden })
  }
  await wire.close()
})
