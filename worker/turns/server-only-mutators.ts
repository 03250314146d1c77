/** Mutators that only the server runs: prompts, shared links, drafts, memory, imported threads and the limit of a thread. */
import { filePart } from '../contract/files/files.ts'
import { idChars, idFrom } from '../contract/ids.ts'
import {
  contentStepBytes,
  maxForkMessages,
  maxImportMessages,
  maxPrompts,
  maxShareChars,
  maxSharedPrompts,
  maxSharedPromptsPerMember,
  maxTitleChars,
} from '../contract/limits.ts'
import { mustFindPermanent, mustFindThread, mustFindVisible, mustHaveStorage, refuse, type Tx } from '../contract/mutator-rules.ts'
import { cleanName } from '../contract/names.ts'
import { roleOf } from '../contract/organizations/organization.ts'
import { draftQuery } from '../contract/queries.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { cutAt } from '../contract/text.ts'
import { readPath } from '../contract/threads/branch-mutators.ts'
import { pathTo } from '../contract/threads/branches.ts'
import { sentRevision } from '../contract/threads/draft-key.ts'
import { type ImportedMessage, type ImportedThread, importArgs } from '../contract/threads/import-args.ts'
import type { ChatMessage, MessagePart } from '../contract/threads/messages.ts'
import {
  createShareArgs,
  deleteMemoryArgs,
  deletePromptArgs,
  revokeShareArgs,
  saveDraftArgs,
  saveMemoryArgs,
  savePromptArgs,
  sharePromptArgs,
  turnCreditsArgs,
} from '../contract/threads/server-args.ts'
import { shareLifetimesMs } from '../contract/threads/shares.ts'
import { isBusy } from '../contract/threads/thread-status.ts'
import { fileOrigin } from '../contract/tools/taint.ts'
import { defineServerMutator, type ServerContext } from './server-mutator.ts'

type Prompt = Pick<RowOf<'prompt'>, 'id' | 'name' | 'text'>

const save = defineServerMutator(savePromptArgs, async ({ tx, args: saved, ctx: { userId, nowMs } }) => {
  const stored = await findPrompt(tx, userId, saved.id)
  if (stored?.deletedAt != null) throw refuse('not_found')
  const shared = await findShared(tx, saved.id)
  const isShared = shared?.userId === userId && shared.deletedAt == null
  // With two databases the copy is written first, so D1 must not refuse the prompt after it. The usage row is rounded down by up to a step.
  if (isShared) await mustHaveStorage(tx, { userId }, nowMs, { bytes: contentStepBytes + JSON.stringify(saved).length, rows: 0 })
  if (stored) await tx.mutate.prompt.update({ ...saved, updatedAt: nowMs })
  else {
    const prompts = await tx.run(zql.prompt.where('userId', userId))
    if (prompts.length >= maxPrompts) throw refuse('prompt_limit_reached')
    await tx.mutate.prompt.insert({ ...saved, userId, createdAt: nowMs, updatedAt: nowMs })
  }
  if (isShared) await publish(tx, saved, shared, nowMs)
})

const remove = defineServerMutator(deletePromptArgs, async ({ tx, args: { id }, ctx: { userId, nowMs } }) => {
  await mustFindPrompt(tx, userId, id)
  await tx.mutate.prompt.update({ id, deletedAt: nowMs })
  const shared = await findShared(tx, id)
  if (shared?.userId === userId && shared.deletedAt == null) await withdraw(tx, id, nowMs)
})

/** Undoes a deletion. The prompt is shared again if the deletion ended its sharing and the author is still a member. */
const restore = defineServerMutator(deletePromptArgs, async ({ tx, args, ctx: { userId, nowMs } }) => {
  const prompt = await findPrompt(tx, userId, args.id)
  if (!prompt) throw refuse('not_found')
  if (prompt.deletedAt == null) return
  await tx.mutate.prompt.update({ id: prompt.id, deletedAt: null })
  const shared = await findShared(tx, prompt.id)
  if (shared?.userId === userId && shared.deletedAt === prompt.deletedAt) await publish(tx, prompt, shared, nowMs)
})

const share = defineServerMutator(sharePromptArgs, async ({ tx, args: { id, organizationId }, ctx: { userId, nowMs } }) => {
  const shared = await findShared(tx, id)
  if (organizationId === null) return endSharing(tx, id, shared, userId, nowMs)
  const prompt = await mustFindPrompt(tx, userId, id)
  const membership = await membershipIn(tx, organizationId, userId)
  if (!membership) throw refuse('not_found')
  // Another member's shared prompt has this id.
  if (shared && shared.userId !== userId) throw refuse('invalid_request')
  const others = (await tx.run(zql.sharedPrompt.where('organizationId', organizationId))).filter((other) => other.id !== id)
  if (others.length >= maxSharedPrompts) throw refuse('shared_prompt_limit_reached')
  if (others.filter((other) => other.userId === userId).length >= maxSharedPromptsPerMember) throw refuse('member_prompt_limit_reached')
  await publish(tx, prompt, { organizationId, memberId: membership.id, userId }, nowMs)
})

/**
 * The mutators of saved prompts. The shared copy is a row of the directory that the members of an organization read. The author's writes
 * keep it equal to the prompt. It has the id of the prompt, so a prompt is shared with one organization at a time.
 */
export const promptMutators = { save, delete: remove, restore, share }

/**
 * The author and the administrators of the organization may end the sharing; other members are not authorized. To all other users, the prompt
 * does not exist. Ending a sharing that does not exist changes nothing.
 */
async function endSharing(tx: Tx, id: string, shared: RowOf<'sharedPrompt'> | undefined, userId: string, nowMs: number): Promise<void> {
  if (shared?.userId !== userId) {
    const membership = shared && (await membershipIn(tx, shared.organizationId, userId))
    if (!membership) return void (await mustFindPrompt(tx, userId, id))
    if (roleOf(membership.role) === 'member') throw refuse('not_authorized')
  }
  if (shared && shared.deletedAt == null) await withdraw(tx, id, nowMs)
}

const publish = (
  tx: Tx,
  { id, name, text }: Prompt,
  { organizationId, memberId, userId }: Pick<RowOf<'sharedPrompt'>, 'organizationId' | 'memberId' | 'userId'>,
  nowMs: number,
): Promise<void> => tx.mutate.sharedPrompt.upsert({ id, organizationId, memberId, userId, name, text, updatedAt: nowMs, deletedAt: null })

/** The row stays, so that a late write does not share the prompt again. Its name and text are removed. */
const withdraw = (tx: Tx, id: string, nowMs: number): Promise<void> =>
  tx.mutate.sharedPrompt.update({ id, name: '', text: '', updatedAt: nowMs, deletedAt: nowMs })

const findPrompt = (tx: Tx, userId: string, id: string): Promise<RowOf<'prompt'> | undefined> =>
  tx.run(zql.prompt.where('id', id).where('userId', userId).one())

/** A deleted prompt is refused like one that does not exist. */
async function mustFindPrompt(tx: Tx, userId: string, id: string): Promise<RowOf<'prompt'>> {
  const prompt = await findPrompt(tx, userId, id)
  if (!prompt || prompt.deletedAt != null) throw refuse('not_found')
  return prompt
}

/** The replica has the rows of the user's own organizations only. */
const findShared = (tx: Tx, id: string): Promise<RowOf<'sharedPrompt'> | undefined> => tx.run(zql.sharedPrompt.where('id', id).one())

const membershipIn = (tx: Tx, organizationId: string, userId: string): Promise<RowOf<'member'> | undefined> =>
  tx.run(zql.member.where('organizationId', organizationId).where('userId', userId).one())

/** True if one of the user's organizations has switched sharing off. The replica has the rows of the user's own organizations only. */
const isSharingOff = async (tx: Tx): Promise<boolean> => (await tx.run(zql.organization.where('isSharingOff', true).one())) !== undefined

const create = defineServerMutator(createShareArgs, async ({ tx, args, ctx }) => {
  const { threadId, messageId, name, lifetime, isListed } = args
  const { userId, nowMs } = ctx
  const thread = await mustFindPermanent(tx, ctx, threadId)
  await mustFindVisible(tx, thread, messageId)
  if (await isSharingOff(tx)) throw refuse('sharing_off')
  // A guest can import any text as an answer of a model, so only the page of an account is listed.
  const owner = await tx.run(zql.user.where('id', userId).one())
  if (isListed && owner?.isAnonymous) throw refuse('listing_account_required')
  const { path, chars } = await readPath(tx, thread.id, messageId)
  if (path.length > maxForkMessages || chars > maxShareChars) throw refuse('share_too_long')
  await tx.mutate.share.insert({
    // Not the client's choice: otherwise the address of an ended link could be used again.
    id: idFrom(crypto.getRandomValues(new Uint8Array(idChars))),
    userId,
    threadId: thread.id,
    messageId,
    title: cutAt(cleanName(thread.title ?? ''), maxTitleChars) || null,
    name,
    isListed,
    createdAt: nowMs,
    expiresAt: lifetime === null ? null : nowMs + shareLifetimesMs[lifetime],
  })
})

/** Revoking cannot be undone. */
const revoke = defineServerMutator(revokeShareArgs, async ({ tx, args: { id }, ctx: { userId, nowMs } }) => {
  const share = await tx.run(zql.share.where('id', id).where('userId', userId).one())
  if (!share) throw refuse('not_found')
  if (share.revokedAt == null) await tx.mutate.share.update({ id, revokedAt: nowMs })
})

/**
 * The mutators of shared links. A link shows a branch up to one message; it cannot be changed, only revoked. Triggers of D1 limit the number of
 * links (migrations/0004_threads.sql).
 */
export const shareMutators = { create, revoke }

/**
 * Drafts that follow the user to other devices, one for each thread and one for the next new thread. A browser writes only over the revision
 * that it has seen, so a device that was offline overwrites nothing. An ended draft keeps its row with an empty text, so that other devices can
 * detect the end.
 */
export const saveDraft = defineServerMutator(saveDraftArgs, async ({ tx, args: { threadId, text, revision, base, origins }, ctx }) => {
  const { userId, nowMs } = ctx
  if (threadId !== null) await mustFindPermanent(tx, ctx, threadId)
  const draft = await findDraft(tx, userId, threadId)
  // A repeated write.
  if (draft?.revision === revision) return
  if (draft && draft.text !== '' && draft.revision !== base) throw refuse('draft_changed')
  if (text === '') {
    if (draft && draft.text !== '') await endDraft(tx, draft.id, revision, nowMs)
    return
  }
  const written = { text, revision, origins: origins ?? null, updatedAt: nowMs, deletedAt: null }
  if (draft) await tx.mutate.draft.update({ id: draft.id, ...written })
  else await tx.mutate.draft.insert({ id: threadId ?? newThreadDraftId(userId), userId, threadId, ...written })
})

/** Ends the draft that became the message, in the batch that stores the message. A newer draft of another device stays. */
export async function endSentDraft(
  tx: Tx,
  { threadId, draft: revision }: { readonly threadId: string; readonly draft?: string | undefined },
  { userId, nowMs }: ServerContext,
): Promise<void> {
  if (revision === undefined) return
  // A message that starts a thread was drafted under the new-thread key (`null`).
  for (const key of [threadId, null]) {
    const draft = await findDraft(tx, userId, key)
    if (draft && draft.text !== '' && draft.revision === revision) await endDraft(tx, draft.id, sentRevision(revision), nowMs)
  }
}

const endDraft = (tx: Tx, id: string, revision: string, nowMs: number): Promise<void> =>
  tx.mutate.draft.update({ id, text: '', revision, updatedAt: nowMs, deletedAt: nowMs })

/** Client-chosen ids contain no colon, so this id cannot collide. */
const newThreadDraftId = (userId: string): string => `new:${userId}`

const findDraft = (tx: Tx, userId: string, threadId: string | null): Promise<RowOf<'draft'> | undefined> =>
  tx.run(draftQuery(userId, threadId))

const saveMemory = defineServerMutator(saveMemoryArgs, async ({ tx, args: { id, ...changes }, ctx: { userId, nowMs } }) => {
  const stored = await findMemory(tx, userId, id)
  if (!stored || stored.deletedAt != null) throw refuse('not_found')
  const isEdited = changes.text !== undefined && changes.text !== stored.text
  await tx.mutate.memory.update({ id, ...changes, ...(isEdited && { editedAt: nowMs }), updatedAt: nowMs })
})

const deleteMemory = defineServerMutator(deleteMemoryArgs, async ({ tx, args: { id }, ctx: { userId, nowMs } }) => {
  const stored = await findMemory(tx, userId, id)
  if (!stored || stored.deletedAt != null) throw refuse('not_found')
  await tx.mutate.memory.update({ id, deletedAt: nowMs })
})

const restoreMemory = defineServerMutator(deleteMemoryArgs, async ({ tx, args: { id }, ctx: { userId } }) => {
  const stored = await findMemory(tx, userId, id)
  if (!stored) throw refuse('not_found')
  if (stored.deletedAt != null) await tx.mutate.memory.update({ id, deletedAt: null })
})

const findMemory = (tx: Tx, userId: string, id: string): Promise<RowOf<'memory'> | undefined> =>
  tx.run(zql.memory.where('id', id).where('userId', userId).one())

/** The mutators of the facts about a user. Only the end of a turn adds facts (worker/chat/turn/find-memories.ts). */
export const memoryMutators = { save: saveMemory, delete: deleteMemory, restore: restoreMemory }

export const setTurnCredits = defineServerMutator(turnCreditsArgs, async ({ tx, args: { threadId, credits }, ctx }) => {
  const thread = await mustFindThread(tx, ctx, threadId)
  await tx.mutate.thread.update({ id: thread.id, turnCredits: credits })
})

/**
 * The rows of `threads.import`. An import starts no turn, and its messages contain no tool calls and no payment. Rows that exist are left as they
 * are, so a repeated import adds only new messages.
 */
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
  if (role === 'user') return { id, role, parts: [...attached, ...written], origins: [fileOrigin] }
  return {
    id,
    role,
    parts: [...(reasoning ? [{ type: 'reasoning' as const, text: reasoning, state: 'done' as const }] : []), ...written, ...attached],
    metadata: { modelId: model.id, modelName: model.name, modelIcon: model.icon, ending: 'completed', credits: 0, imported: true },
  }
}
