/**
 * Copies a shared thread into the threads of a visitor: its files first, then all rows in one batch. The visitor's page chooses the id of the
 * new thread, and the ids of messages and uploads derive from it, so a repeated request copies once.
 */

import { and, eq } from 'drizzle-orm'
import { contentRefusal, dayOf, forkRefusal, type Plan } from '../contract/access.ts'
import { isRefusalCode, type RefusalCode } from '../contract/errors.ts'
import { fileAddress } from '../contract/files.ts'
import { maxCopiedFiles, storedFileBytes } from '../contract/limits.ts'
import type { ChatMessage, MessagePart } from '../contract/messages.ts'
import { beginUpload, breakUpload, readFile, readUploaded } from './attachments.ts'
import { checkContentStatement, contentLimitsOf } from './content-use.ts'
import { classifyD1Error } from './errors.ts'
import { type FileBindings, openFile, storeFile } from './file-store.ts'
import { newId } from './new-id.ts'
import { isStoredFile } from './public-message.ts'
import type { D1Row } from './row-json.ts'
import { contentDb, orm } from './shards.ts'
import { fileIdOf, type SharedThread } from './shares.ts'
import { thread } from './tables/threads.ts'
import { usage } from './tables/user-content.ts'
import { type RowWrite, rowStatement } from './writes.ts'

export type Visitor = { readonly userId: string; readonly plan: Plan }

export const isCopied = async (env: FileBindings, userId: string, threadId: string): Promise<boolean> =>
  (await orm(contentDb(env, userId)).$count(thread, and(eq(thread.id, threadId), eq(thread.userId, userId)))) > 0

/** Null: the copy exists. It counts as a fork, and its files towards the storage only. */
export async function copyShare(
  env: FileBindings,
  shared: SharedThread,
  { userId, plan }: Visitor,
  threadId: string,
  nowMs: number,
): Promise<RefusalCode | null> {
  const database = contentDb(env, userId)
  const [used] = await orm(database).select().from(usage).where(eq(usage.userId, userId))
  const bytes = shared.messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
  const refused = forkRefusal(plan, used, nowMs) ?? contentRefusal(plan, used, { bytes, rows: shared.messages.length + 1 })
  if (refused) return refused.code
  try {
    const files = await copyFiles(env, shared, { userId, plan }, threadId, nowMs)
    if (typeof files === 'string') return files
    const writes = rowsOf(shared, files, userId, threadId, nowMs)
    await database.batch([
      ...writes.map((write) => rowStatement(database, userId, write)),
      checkContentStatement(database, userId, contentLimitsOf(plan, dayOf(nowMs))),
    ])
    return null
  } catch (error) {
    const failure = classifyD1Error(error)
    // The same request, sent twice at once.
    if (failure.kind === 'unique') return (await isCopied(env, userId, threadId)) ? null : 'invalid_request'
    if (failure.kind !== 'guard') throw error
    if (failure.code === 'handed_over' || failure.code === 'account_gone') return 'session_required'
    // Such as a copied file that was deleted meanwhile.
    if (isRefusalCode(failure.code)) return failure.code
    throw error
  }
}

/** Addresses of the copies by the addresses of the files. A missing file has none. */
async function copyFiles(
  env: FileBindings,
  shared: SharedThread,
  visitor: Visitor,
  threadId: string,
  nowMs: number,
): Promise<ReadonlyMap<string, string> | RefusalCode> {
  const copies = new Map<string, string>()
  const urls = new Set(shared.messages.flatMap(({ parts }) => parts.filter(isStoredFile)).map(({ url }) => url))
  if (!env.FILES) return copies
  if (urls.size > maxCopiedFiles) return 'too_many_files'
  for (const [index, url] of [...urls].entries()) {
    const copied = await copyFile(env, shared.ownerId, fileIdOf(url), visitor, `copy:${threadId}-${index}`, nowMs)
    if ('code' in copied) return copied.code
    if (copied.id !== null) copies.set(url, fileAddress(copied.id))
  }
  return copies
}

/** Idempotent by the upload id. A null id: the file does not exist any more. */
async function copyFile(
  env: FileBindings,
  ownerId: string,
  fileId: string,
  { userId, plan }: Visitor,
  uploadId: string,
  nowMs: number,
): Promise<{ readonly id: string | null } | { readonly code: RefusalCode }> {
  const database = contentDb(env, userId)
  const uploaded = await readUploaded(database, userId, uploadId)
  if (uploaded) return uploaded
  const file = await readFile(contentDb(env, ownerId), ownerId, fileId)
  if (!file) return { id: null }
  const { name, mediaType, sizeBytes } = file
  const upload = { id: newId(), userId, uploadId, name, mediaType, sizeBytes }
  const begun = await beginUpload(database, upload, { maxBytes: storedFileBytes[plan], perHour: Number.MAX_SAFE_INTEGER }, nowMs)
  if (begun.type !== 'begun') return { code: begun.type }
  try {
    const body = await openFile(env, file)
    // R2 requires the length before the first byte.
    const { readable, writable } = new FixedLengthStream(sizeBytes)
    const [isStored] = await Promise.all([storeFile(env, userId, upload, readable, nowMs, () => file.pages), body.pipeTo(writable)])
    // A concurrent attempt with the same upload id took over.
    return isStored ? { id: upload.id } : ((await readUploaded(database, userId, uploadId)) ?? { code: 'file_incomplete' })
  } catch (error) {
    await breakUpload(database, upload.id)
    throw error
  }
}

function rowsOf(
  { title, messages }: SharedThread,
  files: ReadonlyMap<string, string>,
  userId: string,
  threadId: string,
  nowMs: number,
): readonly RowWrite[] {
  const idAt = (index: number) => `${threadId}-${index}`
  const headId = idAt(messages.length - 1)
  return [
    { kind: 'insert', table: 'thread', row: { id: threadId, userId, title, status: 'ready', headId, createdAt: nowMs, updatedAt: nowMs } },
    ...messages.map((message, index): RowWrite => {
      const id = idAt(index)
      // Messages are JSON.
      const copy = { ...withFiles(message, files), id } as unknown as D1Row[string]
      const parentId = index === 0 ? null : idAt(index - 1)
      const row = { id, threadId, userId, parentId, message: copy, createdAt: nowMs + index, updatedAt: nowMs }
      return { kind: 'insert', table: 'message', row }
    }),
  ]
}

const withFiles = (message: ChatMessage, files: ReadonlyMap<string, string>): ChatMessage => ({
  ...message,
  parts: message.parts.flatMap((part): MessagePart[] => {
    if (!isStoredFile(part)) return [part]
    const url = files.get(part.url)
    return url === undefined ? [] : [{ ...part, url }]
  }),
})
