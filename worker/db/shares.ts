/**
 * Reads a shared link with its messages. Every condition is read from D1 for each request, so that a page is gone as soon as its link is
 * revoked or has expired, its thread, a message or its owner is deleted, or an organization of the owner switches sharing off.
 */
import { and, eq, sql } from 'drizzle-orm'
import { contentRefusal, dayOf, forkRefusal, type Plan } from '../contract/access.ts'
import { isRefusalCode, type RefusalCode } from '../contract/errors.ts'
import { fileAddress, isFileAddress } from '../contract/files/files.ts'
import { isRecord } from '../contract/is-record.ts'
import { copiedFilesPerHour, maxCopiedFiles, maxForkMessages, storedFileBytes } from '../contract/limits.ts'
import { isPageRead, isSearch } from '../contract/models/tools.ts'
import { parsedJson } from '../contract/parsed-json.ts'
import type { AnswerMessage, ChatMessage, FilePart, MessagePart } from '../contract/threads/messages.ts'
import { isReadable, partsIn } from '../contract/threads/readable-parts.ts'
import { fileOrigin } from '../contract/tools/taint.ts'
import { beginCopies, copyPrefix, readFile, readFiles, releaseCopies, type StoredFile, storeCopies } from './attachments.ts'
import { checkContentStatement, contentLimitsOf, countedOnce } from './content-use.ts'
import { classifyD1Error } from './errors.ts'
import type { FileBindings } from './file-store.ts'
import { newId } from './new-id.ts'
import type { D1Row } from './row-json.ts'
import { contentDb, contentDbs, type DatabaseBindings, directoryDb, orm, preparedOf, runBatch } from './shards.ts'
import { member, organization } from './tables/organizations.ts'
import { accountDeletion, linking } from './tables/sync.ts'
import { message, share, thread } from './tables/threads.ts'
import { usage } from './tables/user-content.ts'
import { contentParts, type D1Write, partStatement } from './writes.ts'

export type SharedThread = {
  readonly id: string
  readonly ownerId: string
  readonly title: string | null
  /** The name that the owner chose to show. */
  readonly name: string | null
  readonly isListed: boolean
  readonly createdAt: number
  /** From the first message to the shared one, without what only the owner may see. */
  readonly messages: readonly ChatMessage[]
}

/** Null for every reason alike. */
export async function readShare(env: DatabaseBindings, id: string, nowMs: number): Promise<SharedThread | null> {
  // The id of a link does not contain the number of a database, because linking a guest can move the row.
  const found = await Promise.all(contentDbs(env).map((database) => readIn(database, id, nowMs)))
  const shared = found.find((one) => one !== null) ?? null
  return shared && !(await isSharingOff(env, shared.ownerId)) ? shared : null
}

/** The stored file at this position among the files of the page. */
export async function readSharedFile(env: DatabaseBindings, shared: SharedThread, index: number): Promise<StoredFile | null> {
  const part = shared.messages.flatMap(({ parts }) => parts.filter(isStoredFile))[index]
  return part ? readFile(contentDb(env, shared.ownerId), shared.ownerId, fileIdOf(part.url)) : null
}

const fileIdOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

type ShareRow = Omit<SharedThread, 'messages' | 'isListed'> & { readonly isListed: number }
type PathRow = { readonly parentId: string | null; readonly message: string; readonly deletedAt: number | null }

async function readIn(database: D1Database, id: string, nowMs: number): Promise<SharedThread | null> {
  const [shares, path] = await runBatch(database, [
    sql`select share.id, share.userId ownerId, share.title, share.name, share.isListed, share.createdAt
      from ${share} join ${thread} on thread.id = share.threadId and thread.userId = share.userId
      where share.id = ${id} and share.revokedAt is null and (share.expiresAt is null or share.expiresAt > ${nowMs})
        and thread.deletedAt is null and not exists (select 1 from ${accountDeletion} where ${accountDeletion.userId} = share.userId)
        -- The rows of a guest who is being linked to an account with another database are read there.
        and not exists (select 1 from ${linking} where guestId = share.userId and isElsewhere = 1)`,
    sql`with recursive path (id, parentId, depth) as (
        select message.id, message.parentId, 0 from ${share} join ${message} on message.id = share.messageId
          where share.id = ${id} and message.userId = share.userId
        union all
        select message.id, message.parentId, depth + 1 from path join ${message} on message.id = path.parentId
          where depth < ${maxForkMessages}
      )
      select message.parentId, message.message, message.deletedAt from path join ${message} on message.id = path.id order by depth desc`,
  ])
  // The columns of the statements.
  const [row] = (shares?.results ?? []) as unknown as ShareRow[]
  const rows = (path?.results ?? []) as unknown as PathRow[]
  const isPathComplete = rows[0]?.parentId === null && rows.every(({ deletedAt }) => deletedAt === null)
  if (!row || !isPathComplete) return null
  return { ...row, isListed: row.isListed === 1, messages: rows.map((one) => publicMessage(parsedJson(one.message))) }
}

async function isSharingOff(env: DatabaseBindings, userId: string): Promise<boolean> {
  const [found] = await orm(directoryDb(env))
    .select({ id: organization.id })
    .from(member)
    .innerJoin(organization, eq(organization.id, member.organizationId))
    .where(and(eq(member.userId, userId), eq(organization.isSharingOff, true)))
    .limit(1)
  return found !== undefined
}

/**
 * What other users may see of a message on a shared page and in a copy of it. Pure.
 *
 * Reasoning, the inputs of tools and the plan of a research can contain the owner's profile or the
 * instructions of a project; costs and ids of the owner are in the metadata. The app leaves out damaged parts of a message, so this does too.
 */
function publicMessage(stored: unknown): ChatMessage {
  const message = isRecord(stored) ? stored : {}
  const parts = partsIn(message).filter(isReadable).flatMap(publicPart)
  // For a copy: another user has written the thread.
  const origins = [fileOrigin]
  if (message.role === 'user') return { id: '', role: 'user', parts, origins }
  // Every field may be missing from a damaged message.
  const {
    modelId = '',
    modelName = '',
    modelIcon = '',
    ending = 'completed',
    mode,
    demo,
    imported,
    answeredBy,
  } = (isRecord(message.metadata) ? message.metadata : {}) as Partial<AnswerMessage['metadata']>
  const metadata: AnswerMessage['metadata'] = {
    ...{ modelId, modelName, modelIcon, ending, credits: 0 },
    ...(mode === 'search' && { mode }),
    origins,
    ...(demo && { demo }),
    ...(imported && { imported }),
    ...(answeredBy && { answeredBy }),
  }
  return { id: '', role: 'assistant', parts, metadata }
}

function publicPart(part: MessagePart): MessagePart[] {
  if (part.type === 'text' && 'text' in part) return [{ type: 'text', text: part.text }]
  if (part.type === 'file' || part.type === 'source-url') return [part]
  if (!(isSearch(part) || isPageRead(part)) || part.state !== 'output-available') return []
  const { approval: _approval, ...shown } = part
  return [{ ...shown, input: {} }]
}

export const isStoredFile = (part: MessagePart): part is FilePart => part.type === 'file' && 'url' in part && isFileAddress(part.url)

export type Visitor = { readonly userId: string; readonly plan: Plan }

export const isCopied = async (env: FileBindings, userId: string, threadId: string): Promise<boolean> =>
  (await orm(contentDb(env, userId)).$count(thread, and(eq(thread.id, threadId), eq(thread.userId, userId)))) > 0

/**
 * Copies a shared thread into the threads of a visitor. Its files are not copied: the visitor's rows refer to the same objects, and an object is
 * deleted with its last row. The visitor's page chooses the id of the new thread, and the ids of messages and uploads derive from it, so a
 * repeated request copies once. It counts as a fork, and its files count towards the storage and the copied files of the hour.
 *
 * Null: the copy exists.
 */
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
    if (failure.code === 'guest_linked' || failure.code === 'account_deleted') return 'session_required'
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
