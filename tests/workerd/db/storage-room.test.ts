// What takes room in a person's storage, on the real D1: what they see, what is on its way, and of what they deleted as much as can be kept.
import { beforeEach, expect, test } from 'vitest'
import { fileAddress } from '../../../worker/contract/files.ts'
import { beginMadeFile, beginUpload } from '../../../worker/db/attachments.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { insert, messageRow, queuedRow, threadRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'

const { DB } = env
const maxBytes = 1000
let userId: string
beforeEach(() => {
  userId = newId()
})

type File = { readonly id: string; readonly name: string; readonly mediaType: string; readonly sizeBytes: number }

async function file(sizeBytes: number): Promise<File> {
  const shown = { id: newId(), name: 'a.txt', mediaType: 'text/plain', sizeBytes }
  await insert(DB, 'attachment', { ...shown, userId, uploadId: newId(), storedAt: 1, etag: 'x', unusedSince: 1, createdAt: 1 })
  return shown
}

async function thread(): Promise<string> {
  const row = threadRow(userId)
  await insert(DB, 'thread', row)
  return String(row.id)
}

async function message(threadId: string, shown: readonly File[] = [], parentId: string | null = null): Promise<string> {
  const parts = shown.map(({ id, name, mediaType, sizeBytes }) => {
    return { type: 'file', url: fileAddress(id), filename: name, mediaType, sizeBytes }
  })
  const row = messageRow(userId, threadId, { parentId, message: JSON.stringify({ id: 'm', role: 'user', parts }) })
  await insert(DB, 'message', row)
  return String(row.id)
}

const remove = (table: 'thread' | 'message', id: string, deletedAt: number | null = 2) =>
  DB.prepare(`update ${table} set deletedAt = ? where id = ?`).bind(deletedAt, id).run()

/** The most that an upload may bring now. Asked of both that take room; nothing of it stays. */
async function room(): Promise<number> {
  let most = 0
  for (const sizeBytes of [1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]) {
    const named = { id: newId(), userId, name: 'b', mediaType: 'text/plain' as const, sizeBytes }
    const { type } = await beginUpload(DB, { ...named, uploadId: newId() }, { maxBytes, perHour: 100 }, 1)
    await DB.prepare('delete from attachment where id = ?').bind(named.id).run()
    const isMade = await beginMadeFile(DB, { ...named, generationId: newId() }, maxBytes, 1)
    await DB.prepare('delete from attachment where id = ?').bind(named.id).run()
    expect({ type, isMade }).toEqual(isMade ? { type: 'begun', isMade } : { type: 'storage_full', isMade })
    if (isMade) most = sizeBytes
  }
  return most
}

test('of a file that was forked again and again it is not asked whether each copy was deleted', async () => {
  const shown = await file(700)
  const threads = await Promise.all(Array.from({ length: 21 }, thread))
  for (const threadId of threads.slice(1)) {
    await message(threadId, [shown])
    await remove('thread', threadId)
  }
  expect(await room()).toBe(1000)
  const [last = ''] = threads
  await message(last, [shown])
  await remove('thread', last)
  expect(await room()).toBe(300)
})

test('a message far below the one that was deleted still takes room', async () => {
  const threadId = await thread()
  const first = await message(threadId)
  let above = first
  for (let n = 0; n < 150; n++) above = await message(threadId, [], above)
  await message(threadId, [await file(700)], above)
  await remove('message', first)
  expect(await room()).toBe(1000)
  for (let n = 0; n < 60; n++) above = await message(threadId, [], above)
  await message(threadId, [await file(200)], above)
  expect(await room()).toBe(800)
})

test('a deleted thread gives its room back at once, and takes it again when that is undone', async () => {
  const threadId = await thread()
  await message(threadId, [await file(700)])
  await message(threadId, [await file(300)])
  expect(await room()).toBe(0)
  await remove('thread', threadId)
  expect(await room()).toBe(1000)
  const other = await thread()
  await message(other, [await file(600)])
  expect(await room()).toBe(400)
  await remove('thread', threadId, null)
  expect(await room()).toBe(0)
})

test('so does a deleted message, with what stands below it, and nothing else of its thread', async () => {
  const threadId = await thread()
  const first = await message(threadId, [await file(100)])
  const second = await message(threadId, [await file(200)], first)
  const answer = await message(threadId, [], second)
  await message(threadId, [await file(300)], answer)
  await message(threadId, [await file(400)], first)
  expect(await room()).toBe(0)
  await remove('message', second)
  expect(await room()).toBe(500)
  await remove('message', second, null)
  await remove('message', answer)
  expect(await room()).toBe(300)
})

test('what is shown elsewhere, waits in a queue or was not sent yet takes room', async () => {
  const [kept, deleted] = [await thread(), await thread()]
  const [copied, queued, waiting] = [await file(100), await file(200), await file(300)]
  await file(400)
  await message(deleted, [copied, queued])
  await message(kept, [copied])
  await insert(DB, 'queuedMessage', queuedRow(userId, kept, { files: JSON.stringify([queued]) }))
  await insert(DB, 'queuedMessage', queuedRow(userId, deleted, { files: JSON.stringify([waiting]) }))
  expect(await room()).toBe(0)
  await remove('thread', deleted)
  expect(await room()).toBe(300)
})

test('what is deleted may take as much as the limit again, and no more', async () => {
  for (const sizeBytes of [900, 800]) {
    const threadId = await thread()
    await message(threadId, [await file(sizeBytes)])
    await remove('thread', threadId)
  }
  expect(await room()).toBe(300)
})

test('files that models make are none of the uploads of an hour', async () => {
  const limit = { maxBytes, perHour: 2 }
  const begin = () =>
    beginUpload(DB, { id: newId(), userId, uploadId: newId(), name: 'b', mediaType: 'text/plain', sizeBytes: 1 }, limit, Date.now())
  for (const generationId of [newId(), newId(), newId()])
    expect(
      await beginMadeFile(DB, { ...(await file(1)), id: newId(), userId, generationId, mediaType: 'image/png' }, maxBytes, Date.now()),
    ).toBe(true)
  expect([(await begin()).type, (await begin()).type, (await begin()).type]).toEqual(['begun', 'begun', 'uploads_too_often'])
})
