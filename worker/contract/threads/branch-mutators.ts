/** Mutators for the branches of a thread: show a version, delete and restore a branch, and fork a path into a new thread. */
import * as z from 'zod/mini'
import { idSchema, newThreadIdSchema } from '../ids.ts'
import { maxForkChars, maxForkMessages, maxThreadBookmarks, maxTitleChars } from '../limits.ts'
import {
  at,
  findThread,
  mustFindMessage,
  mustFindPermanent,
  mustFindThread,
  mustFindVisible,
  mustMayFork,
  mutator,
  refuse,
  type Tx,
  timeOf,
} from '../mutator-rules.ts'
import { type RowOf, zql } from '../schema.ts'
import { cutAt } from '../text.ts'
import { withoutWaiting } from '../tools/approvals.ts'
import { headWithout, idsBelowDeleted, isVisible, newestLeafBelow, pathTo } from './branches.ts'
import type { ChatMessage } from './messages.ts'
import { isBusy } from './thread-status.ts'

const placeArgs = z.object({ threadId: idSchema, messageId: idSchema })
const bookmarkArgs = z.object({ threadId: idSchema, messageId: idSchema, isBookmarked: z.boolean(), at })
const deleteMessageArgs = z.object({ threadId: idSchema, messageId: idSchema, at })
const forkArgs = z.object({ threadId: idSchema, messageId: idSchema, newThreadId: newThreadIdSchema, at })

const messagesOf = (tx: Tx, threadId: string): Promise<readonly RowOf<'message'>[]> => tx.run(zql.message.where('threadId', threadId))

/** `chars`: the size of its messages as JSON. */
export async function readPath(tx: Tx, threadId: string, messageId: string) {
  const path = pathTo(await messagesOf(tx, threadId), messageId)
  return { path, chars: path.reduce((sum, { message }) => sum + JSON.stringify(message).length, 0) }
}

/** True in a browser that has not loaded the parent of this message. Other versions can be missing too, so only the server writes. */
const isCutAbove = (tx: Tx, messages: readonly RowOf<'message'>[], { parentId }: RowOf<'message'>): boolean =>
  tx.location === 'client' && parentId != null && !messages.some(({ id }) => id === parentId)

/** Shows the branch of this message down to its newest leaf. This ends a comparison. */
export const show = mutator({ args: placeArgs }, async ({ tx, args, ctx }) => {
  const thread = await mustFindThread(tx, ctx, args.threadId)
  if (isBusy(thread)) throw refuse('thread_busy')
  await mustFindVisible(tx, thread, args.messageId)
  const messages = await messagesOf(tx, thread.id)
  const headId = newestLeafBelow(messages, args.messageId)
  // The browser may lack the rest of the branch below a question. The server's write then shows it.
  const isCut = messages.some(({ id, message }) => id === headId && message.role === 'user')
  if (isCut && tx.location === 'client') return
  const { compared } = thread
  if (headId !== thread.headId || compared) await tx.mutate.thread.update({ id: thread.id, headId, ...(compared && { compared: null }) })
})

/**
 * Copies the path to a message into a new thread, with its summaries. Message ids derive from the thread id, so the client and the server create
 * the same rows.
 */
export const fork = mutator({ args: forkArgs, isPaced: true, isFork: true }, async ({ tx, args, ctx }) => {
  const nowMs = timeOf(ctx, args.at)
  const thread = await mustFindPermanent(tx, ctx, args.threadId)
  await mustFindVisible(tx, thread, args.messageId)
  // The copied messages would be written into an existing thread.
  if (await findThread(tx, ctx, args.newThreadId)) throw refuse('invalid_request')
  const { path, chars } = await readPath(tx, thread.id, args.messageId)
  // The browser has only the end of the path. The server's write then creates the copy.
  if (path[0]?.parentId != null && tx.location === 'client') return
  if (path.length > maxForkMessages || chars > maxForkChars) throw refuse('fork_too_long')
  const stored = new Map((await tx.run(zql.summary.where('threadId', thread.id))).map((summary) => [summary.id, summary]))
  const summaries = path.flatMap(({ id }, index) => {
    const summary = stored.get(id)
    return summary ? [{ ...summary, id: `${args.newThreadId}-${index}`, threadId: args.newThreadId, createdAt: nowMs }] : []
  })
  const bytes = summaries.reduce((sum, summary) => sum + JSON.stringify(summary).length, chars)
  await mustMayFork(tx, ctx, nowMs, { bytes, rows: path.length + summaries.length + 1 })
  const idAt = (index: number) => `${args.newThreadId}-${index}`
  // An insert of an existing id is a no-op and would leave a gap in the copy.
  const isTaken = await tx.run(
    zql.message
      .where(
        'id',
        'IN',
        path.map((_, index) => idAt(index)),
      )
      .one(),
  )
  if (isTaken) throw refuse('invalid_request')
  await tx.mutate.thread.insert({
    id: args.newThreadId,
    userId: ctx.userId,
    title: thread.title ? forkTitle(thread.title) : null,
    status: 'ready',
    headId: idAt(path.length - 1),
    effort: thread.effort ?? null,
    turnCredits: thread.turnCredits ?? null,
    offTools: thread.offTools ?? null,
    createdAt: nowMs,
    updatedAt: nowMs,
  })
  for (const [index, { message }] of path.entries())
    await tx.mutate.message.insert({
      id: idAt(index),
      threadId: args.newThreadId,
      userId: ctx.userId,
      parentId: index === 0 ? null : idAt(index - 1),
      message: copyOf(message, idAt(index)),
      createdAt: nowMs + index,
      updatedAt: nowMs,
    })
  for (const summary of summaries) await tx.mutate.summary.insert(summary)
})

const mark = ' (fork)'
const forkTitle = (title: string): string => (title.endsWith(mark) ? title : cutAt(title, maxTitleChars - mark.length) + mark)

/** The copy was not charged, so its credits are 0. */
function copyOf(message: ChatMessage, id: string): ChatMessage {
  if (message.role === 'user') {
    // Facts are found in the original message only.
    const { isTyped: _isTyped, ...copied } = message
    return { ...copied, id }
  }
  const { paid: _paid, use: _use, earlier: _earlier, ...metadata } = message.metadata
  return { ...message, id, parts: withoutWaiting(message.parts), metadata: { ...metadata, credits: 0 } }
}

const withChanged = (messages: readonly RowOf<'message'>[], changed: RowOf<'message'>): readonly RowOf<'message'>[] =>
  messages.map((message) => (message.id === changed.id ? changed : message))

/** Hides the bookmarks below deleted messages, and shows them again after a deletion was undone. */
async function updateBookmarks(tx: Tx, messages: readonly RowOf<'message'>[]): Promise<void> {
  const hidden = idsBelowDeleted(messages)
  for (const { id, bookmarkedAt } of messages) {
    if (bookmarkedAt != null && hidden.has(id) === bookmarkedAt > 0) await tx.mutate.message.update({ id, bookmarkedAt: -bookmarkedAt })
  }
}

export const messageMutators = {
  bookmark: mutator({ args: bookmarkArgs }, async ({ tx, args, ctx }) => {
    const thread = await mustFindPermanent(tx, ctx, args.threadId)
    const { id } = await mustFindVisible(tx, thread, args.messageId)
    if (args.isBookmarked) {
      const bookmarks = await tx.run(zql.message.where('threadId', thread.id).where('bookmarkedAt', 'IS NOT', null))
      if (bookmarks.length >= maxThreadBookmarks) throw refuse('bookmark_limit_reached')
    }
    await tx.mutate.message.update({ id, bookmarkedAt: args.isBookmarked ? timeOf(ctx, args.at) : null })
  }),

  /** Hides the message and its descendants. The only first message of a thread cannot be deleted alone; delete the thread instead. */
  delete: mutator({ args: deleteMessageArgs, reduces: true }, async ({ tx, args, ctx }) => {
    const thread = await mustFindThread(tx, ctx, args.threadId)
    if (isBusy(thread)) throw refuse('thread_busy')
    const message = await mustFindMessage(tx, thread.id, args.messageId)
    const messages = await messagesOf(tx, thread.id)
    if (isCutAbove(tx, messages, message)) return
    const next = headWithout(messages, message)
    if (next === null) throw refuse('invalid_request')
    const isShown = pathTo(messages, thread.headId).some(({ id }) => id === message.id)
    const deletedAt = timeOf(ctx, args.at)
    await tx.mutate.message.update({ id: message.id, deletedAt })
    await updateBookmarks(tx, withChanged(messages, { ...message, deletedAt }))
    if (isShown) await tx.mutate.thread.update({ id: thread.id, headId: next })
  }),

  /** Undoes a deletion. The browser may no longer have the row; then only the server's write restores it. */
  restore: mutator({ args: placeArgs, reduces: true }, async ({ tx, args, ctx }) => {
    const thread = await mustFindThread(tx, ctx, args.threadId)
    const message = await tx.run(zql.message.where('id', args.messageId).where('threadId', thread.id).one())
    if (!message && tx.location === 'server') throw refuse('not_found')
    if (!message || message.deletedAt == null) return
    const messages = await messagesOf(tx, thread.id)
    if (isCutAbove(tx, messages, message)) return
    const headId = newestLeafBelow(messages, message.id)
    // Restoring shows the branch only if the user has not moved to another branch since.
    const back = { ...message, deletedAt: null }
    const after = withChanged(messages, back)
    const isWhereItWas = thread.headId === headWithout(after, back)
    await tx.mutate.message.update({ id: message.id, deletedAt: null })
    await updateBookmarks(tx, after)
    // While an answer is generated, the head stays its question. A branch below another deleted message stays hidden.
    const isBelowDeleted = message.parentId != null && !isVisible(messages, message.parentId)
    if (!isBusy(thread) && !isBelowDeleted && isWhereItWas) await tx.mutate.thread.update({ id: thread.id, headId })
  }),
}
