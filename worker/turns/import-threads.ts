/**
 * The rows of `threads.import`. An import starts no turn, and its messages contain no tool calls and no payment. Rows that exist are left as they
 * are, so a repeated import adds only new messages.
 */

import { filePart } from '../contract/files/files.ts'
import { maxImportMessages } from '../contract/limits.ts'
import { mustHaveStorage, type Tx } from '../contract/mutator-rules.ts'
import { refuse } from '../contract/refuse.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { pathTo } from '../contract/threads/branches.ts'
import { type ImportedMessage, type ImportedThread, importArgs } from '../contract/threads/import-args.ts'
import type { ChatMessage, MessagePart } from '../contract/threads/messages.ts'
import { isBusy } from '../contract/threads/thread-status.ts'
import { defineServerMutator } from './server-mutator.ts'

export const importThreads = defineServerMutator(importArgs, async ({ tx, args: { threads }, ctx: { userId, nowMs } }) => {
  const messages = threads.flatMap((thread) => thread.messages)
  const ids = [...threads, ...messages].map(({ id }) => id)
  if (messages.length > maxImportMessages || new Set(ids).size < ids.length) throw refuse('invalid_request')
  const stored = await storedRows(tx, userId, threads)
  for (const thread of threads) checkTree(thread, stored.messages, nowMs)
  const news = threads.flatMap((thread) => {
    const existing = stored.threads.get(thread.id)
    // A thread that the user has deleted stays deleted, and a temporary one gets no more messages.
    if (existing && (existing.deletedAt != null || existing.expiresAt != null)) return []
    const added = thread.messages.filter(({ id }) => !stored.messages.has(id))
    return added.length === 0 ? [] : [{ ...thread, existing, messages: added }]
  })
  if (news.length === 0) return
  await mustFit(tx, userId, news, nowMs)
  for (const thread of news) await addThread(tx, userId, thread, nowMs)
})

type Stored = { readonly threads: ReadonlyMap<string, RowOf<'thread'>>; readonly messages: ReadonlyMap<string, RowOf<'message'>> }

async function storedRows(tx: Tx, userId: string, threads: readonly ImportedThread[]): Promise<Stored> {
  const threadIds = threads.map(({ id }) => id)
  const messageIds = new Set(
    threads.flatMap(({ headId, messages }) => [
      headId,
      ...messages.flatMap(({ id, parentId }) => (parentId === null ? [id] : [id, parentId])),
    ]),
  )
  const threadRows = await tx.run(zql.thread.where('userId', userId).where('id', 'IN', threadIds))
  const messageRows = await tx.run(zql.message.where('userId', userId).where('id', 'IN', [...messageIds]))
  return { threads: byId(threadRows), messages: byId(messageRows) }
}

const byId = <Row extends { readonly id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.id, row]))

/**
 * Refuses messages of other threads, parents that come later, and times that break the order of `messages.newest`: a message is newer than its
 * parent, and older than those that the user will send.
 */
function checkTree({ id: threadId, headId, messages }: ImportedThread, stored: Stored['messages'], nowMs: number): void {
  const times = new Map<string, number>()
  for (const { id, parentId, createdAt } of messages) {
    const existing = stored.get(id)
    const parent = parentId === null ? null : stored.get(parentId)
    if ((existing && existing.threadId !== threadId) || (parent && parent.threadId !== threadId)) throw refuse('invalid_request')
    const parentAt = parentId === null ? -1 : (times.get(parentId) ?? parent?.createdAt)
    if (parentAt === undefined || parentAt === null || createdAt <= parentAt || createdAt > nowMs) throw refuse('invalid_request')
    times.set(id, createdAt)
  }
  if (!times.has(headId) && stored.get(headId)?.threadId !== threadId) throw refuse('invalid_request')
}

type NewRows = ImportedThread & { readonly existing: RowOf<'thread'> | undefined }

async function mustFit(tx: Tx, userId: string, news: readonly NewRows[], nowMs: number): Promise<void> {
  const bytes = news.reduce((sum, { messages }) => sum + JSON.stringify(messages).length, 0)
  const rows = news.reduce((sum, { messages, existing }) => sum + messages.length + (existing ? 0 : 1), 0)
  await mustHaveStorage(tx, { userId }, nowMs, { bytes, rows })
}

async function addThread(tx: Tx, userId: string, { existing, messages, ...thread }: NewRows, nowMs: number): Promise<void> {
  const updatedAt = Math.min(thread.updatedAt, nowMs)
  if (!existing)
    await tx.mutate.thread.insert({
      id: thread.id,
      userId,
      title: thread.title,
      status: 'ready',
      headId: thread.headId,
      createdAt: Math.min(thread.createdAt, nowMs),
      updatedAt,
      ...(thread.isArchived ? { archivedAt: nowMs } : {}),
    })
  for (const { id, parentId, createdAt, ...content } of messages)
    await tx.mutate.message.insert({
      id,
      threadId: thread.id,
      userId,
      parentId,
      message: messageOf(id, content),
      createdAt,
      updatedAt: createdAt,
    })
  if (!existing || isBusy(existing)) return
  // The user may have continued the thread or shown another branch since; then that branch stays.
  const path = pathTo(await tx.run(zql.message.where('threadId', thread.id)), thread.headId)
  const isContinued = path.some(({ id }) => id === existing.headId)
  await tx.mutate.thread.update({
    id: thread.id,
    updatedAt: Math.max(existing.updatedAt, updatedAt),
    ...(isContinued ? { headId: thread.headId } : {}),
  })
}

const unknownModel = { id: 'unknown', name: 'Assistant', icon: 'compatible' }

type Content = Omit<ImportedMessage, 'id' | 'parentId' | 'createdAt'>

function messageOf(id: string, { role, text: words, reasoning, files = [], model = unknownModel }: Content): ChatMessage {
  const attached = files.map(filePart)
  const written: readonly MessagePart[] = words === '' ? [] : [{ type: 'text', text: words }]
  if (role === 'user') return { id, role, parts: [...attached, ...written] }
  return {
    id,
    role,
    parts: [...(reasoning ? [{ type: 'reasoning' as const, text: reasoning, state: 'done' as const }] : []), ...written, ...attached],
    metadata: { modelId: model.id, modelName: model.name, modelIcon: model.icon, ending: 'completed', credits: 0, imported: true },
  }
}
