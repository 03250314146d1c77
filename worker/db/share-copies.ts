/**
 * Copies a shared thread into the threads of a visitor. Its files are not copied: the visitor's rows refer to the same objects, and an object is
 * deleted with its last row. The visitor's page chooses the id of the new thread, and the ids of messages and uploads derive from it, so a
 * repeated request copies once.
 */

import { and, eq } from 'drizzle-orm'
import { contentRefusal, dayOf, forkRefusal, type Plan } from '../contract/access.ts'
import { isRefusalCode, type RefusalCode } from '../contract/errors.ts'
import { fileAddress } from '../contract/files/files.ts'
import { copiedFilesPerHour, maxCopiedFiles, storedFileBytes } from '../contract/limits.ts'
import type { ChatMessage, MessagePart } from '../contract/threads/messages.ts'
import { readFiles } from './attachments.ts'
import { checkContentStatement, contentLimitsOf, countedOnce } from './content-use.ts'
import { classifyD1Error } from './errors.ts'
import { beginCopies, copyPrefix, releaseCopies, storeCopies } from './file-copies.ts'
import type { FileBindings } from './file-store.ts'
import { newId } from './new-id.ts'
import { isStoredFile } from './public-message.ts'
import type { D1Row } from './row-json.ts'
import { contentDb, orm, preparedOf } from './shards.ts'
import { fileIdOf, type SharedThread } from './shares.ts'
import { thread } from './tables/threads.ts'
import { usage } from './tables/user-content.ts'
import { contentParts, type D1Write, partStatement } from './writes.ts'

export type Visitor = { readonly userId: string; readonly plan: Plan }

export const isCopied = async (env: FileBindings, userId: string, threadId: string): Promise<boolean> =>
  (await orm(contentDb(env, userId)).$count(thread, and(eq(thread.id, threadId), eq(thread.userId, userId)))) > 0

/** Null: the copy exists. It counts as a fork. Its files count towards the storage and the copied files of the hour. */
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
  let files: Copies | RefusalCode = new Map()
  try {
    files = await copyFiles(env, shared, { userId, plan }, threadId, nowMs)
    if (typeof files === 'string') return files
    const writes = contentParts(rowsOf(shared, files, userId, threadId, nowMs)).map((part) => partStatement(database, userId, part))
    await database.batch([
      preparedOf(database, storeCopies(database, userId, threadId, nowMs)),
      ...countedOnce(database, userId, writes),
      checkContentStatement(database, userId, contentLimitsOf(plan, dayOf(nowMs))),
    ])
    return null
  } catch (error) {
    const failure = classifyD1Error(error)
    // The same request, sent twice at once.
    if (failure.kind === 'unique' && (await isCopied(env, userId, threadId))) return null
    if (typeof files !== 'string' && failure.kind !== 'transient') await releaseCopies(database, [...files.values()], nowMs)
    if (failure.kind === 'unique') return 'invalid_request'
    if (failure.kind !== 'guard') throw error
    if (failure.code === 'handed_over' || failure.code === 'account_gone') return 'session_required'
    // Such as a copied file that was deleted meanwhile.
    if (isRefusalCode(failure.code)) return failure.code
    throw error
  }
}

/** Ids of the copies by the addresses of the files. A missing file has none. */
type Copies = ReadonlyMap<string, string>

/** Interrupted, it leaves rows that no message uses, which the cleanup job removes. */
async function copyFiles(
  env: FileBindings,
  shared: SharedThread,
  { userId, plan }: Visitor,
  threadId: string,
  nowMs: number,
): Promise<Copies | RefusalCode> {
  const urls = [...new Set(shared.messages.flatMap(({ parts }) => parts.filter(isStoredFile)).map(({ url }) => url))]
  if (!env.FILES || urls.length === 0) return new Map()
  if (urls.length > maxCopiedFiles) return 'too_many_files'
  const readOriginals = () => readFiles(contentDb(env, shared.ownerId), shared.ownerId, urls.map(fileIdOf))
  const originals = await readOriginals()
  if (originals.length === 0) return new Map()
  const uploadIdOf = (id: string) => `${copyPrefix(threadId)}${urls.findIndex((url) => fileIdOf(url) === id)}`
  const database = contentDb(env, userId)
  const copies = originals.map((original) => ({ ...original, id: newId(), uploadId: uploadIdOf(original.id) }))
  const limit = { maxBytes: storedFileBytes[plan], perHour: copiedFilesPerHour[plan] }
  const begun = await beginCopies(database, userId, threadId, copies, limit, nowMs)
  if ('type' in begun) return begun.type
  // From now on the rows of the copies keep the objects. An original that was removed before may have lost its object.
  const kept = new Set((await readOriginals()).map(({ id }) => uploadIdOf(id)))
  const lost = [...begun].filter(([uploadId]) => !kept.has(uploadId)).map(([, id]) => id)
  await releaseCopies(database, lost, nowMs)
  return new Map(
    urls.flatMap((url) => {
      const uploadId = uploadIdOf(fileIdOf(url))
      const id = kept.has(uploadId) ? begun.get(uploadId) : undefined
      return id === undefined ? [] : [[url, id] as const]
    }),
  )
}

function rowsOf({ title, messages }: SharedThread, files: Copies, userId: string, threadId: string, nowMs: number): readonly D1Write[] {
  const idAt = (index: number) => `${threadId}-${index}`
  const headId = idAt(messages.length - 1)
  return [
    { kind: 'insert', table: 'thread', row: { id: threadId, userId, title, status: 'ready', headId, createdAt: nowMs, updatedAt: nowMs } },
    ...messages.map((message, index): D1Write => {
      const id = idAt(index)
      // Messages are JSON.
      const copy = { ...withFiles(message, files), id } as unknown as D1Row[string]
      const parentId = index === 0 ? null : idAt(index - 1)
      const row = { id, threadId, userId, parentId, message: copy, createdAt: nowMs + index, updatedAt: nowMs }
      return { kind: 'insert', table: 'message', row }
    }),
  ]
}

const withFiles = (message: ChatMessage, files: Copies): ChatMessage => ({
  ...message,
  parts: message.parts.flatMap((part): MessagePart[] => {
    if (!isStoredFile(part)) return [part]
    const id = files.get(part.url)
    return id === undefined ? [] : [{ ...part, url: fileAddress(id) }]
  }),
})
