/**
 * Messages that wait for the answer before them. The server makes a turn of the oldest by itself when its thread is ready, by the same
 * mutator that the person's "Send now" calls. One that is on hold waits for the person, and so does everything behind it.
 */
import { defineMutator } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { isDailyHold, modelRefusal } from './access.ts'
import { effortLevels } from './effort.ts'
import { refuse } from './errors.ts'
import { type AttachedFile, fileRefusal, filesArg } from './files.ts'
import { idSchema } from './ids.ts'
import { maxQueuedMessages } from './limits.ts'
import {
  ask,
  at,
  findThread,
  isBusy,
  modelIdSchema,
  mustFindThread,
  mustHaveRoom,
  planFor,
  refusable,
  type Tx,
  textSchema,
  timeOf,
  turnArgs,
} from './mutator-rules.ts'
import { withEditor, withoutEditor } from './queue-editors.ts'
import { answerHolds, holdBehind, isModeHold, isModelHold } from './queue-holds.ts'
import { type QueueHold, type RowOf, zql } from './schema.ts'
import type { Viewer } from './viewer.ts'

/** `id` is that of the message to come. */
export const queueAddArgs = z.object({
  ...turnArgs,
  id: idSchema,
  effort: z.optional(z.enum(effortLevels)),
  text: textSchema,
  files: filesArg,
})
export const queueSendArgs = z.object({ id: idSchema, at })
const queueEditArgs = z.object({
  id: idSchema,
  text: z.optional(textSchema),
  /** What it said when the person began to change it: a text that was changed elsewhere meanwhile is not overwritten unseen. */
  was: z.optional(textSchema),
  /** Closed by this change. */
  editorId: z.optional(idSchema),
  modelId: z.optional(modelIdSchema),
  /** Only what takes nothing of the day's searches and researches. */
  mode: z.optional(z.literal('chat')),
  at: z.optional(at),
})
const queueEditorArgs = z.object({ id: idSchema, editorId: idSchema, isOpen: z.boolean(), at })
const queueRemoveArgs = z.object({ id: idSchema })

export type QueueAddArgs = z.infer<typeof queueAddArgs>

const mustFindQueued = async (tx: Tx, ctx: Viewer, id: string): Promise<RowOf<'queuedMessage'>> => {
  const queued = await tx.run(zql.queuedMessage.where('id', id).where('userId', ctx.userId).one())
  if (!queued) throw refuse('not_found')
  return queued
}

const queueOf = (tx: Tx, threadId: string) => tx.run(zql.queuedMessage.where('threadId', threadId).orderBy('createdAt', 'asc'))

export const queueMutators = {
  add: defineMutator(
    queueAddArgs,
    refusable(async ({ tx, args, ctx }) => {
      const thread = await mustFindThread(tx, ctx, args.threadId)
      const row = await lastInQueue(tx, ctx, thread, await queueOf(tx, thread.id), args)
      await tx.mutate.queuedMessage.insert({ ...row, hold: isBusy(thread) ? null : await holdAfter(tx, thread) })
    }),
  ),

  /** Changes what it says, which model it is for, or makes it a chat. What only held it because of its model, or of its mode, goes on. */
  edit: defineMutator(
    queueEditArgs,
    refusable(async ({ tx, args: { id, text, was, editorId, modelId, mode, at = 0 }, ctx }) => {
      const { files, hold, editors, text: textNow } = await mustFindQueued(tx, ctx, id)
      if (text === undefined && modelId === undefined && mode === undefined) throw refuse('invalid_request')
      if (text?.trim() === '' && !files?.length) throw refuse('message_empty')
      if (text !== undefined && was !== undefined && textNow !== was && textNow !== text) throw refuse('queued_changed')
      const nowMs = timeOf(ctx, at)
      if (text !== undefined && text !== textNow) await mustHaveRoom(tx, ctx, nowMs)
      if (modelId !== undefined) await checkModel(tx, ctx, modelId, files ?? [], nowMs)
      const isFreed = hold != null && ((modelId !== undefined && isModelHold(hold)) || (mode !== undefined && isModeHold(hold)))
      await tx.mutate.queuedMessage.update({
        id,
        ...(text !== undefined && { text }),
        ...(modelId && { modelId }),
        ...(mode && { mode }),
        ...(isFreed && { hold: null }),
        ...(editorId !== undefined && { editors: withoutEditor(editors, editorId, nowMs) }),
      })
    }),
  ),

  /** Says that it is being changed, again and again, and that it is no more. */
  editor: defineMutator(
    queueEditorArgs,
    refusable(async ({ tx, args: { id, editorId, isOpen, at }, ctx }) => {
      const { editors } = await mustFindQueued(tx, ctx, id)
      const nowMs = timeOf(ctx, at)
      await tx.mutate.queuedMessage.update({ id, editors: (isOpen ? withEditor : withoutEditor)(editors, editorId, nowMs) })
    }),
  ),

  remove: defineMutator(
    queueRemoveArgs,
    refusable(async ({ tx, args, ctx }) => {
      const { id } = await mustFindQueued(tx, ctx, args.id)
      await tx.mutate.queuedMessage.delete({ id })
    }),
  ),

  /** Makes a turn of it, as `threads.send` would, and lets the rest of the queue go on behind it. */
  send: defineMutator(
    queueSendArgs,
    refusable(async ({ tx, args, ctx }) => {
      const queued = await mustFindQueued(tx, ctx, args.id)
      const { id, threadId, answerId, text, modelId } = queued
      const thread = await mustFindThread(tx, ctx, threadId)
      const others = (await queueOf(tx, threadId)).filter((other) => other.id !== id && other.hold != null)
      const question = {
        threadId,
        messageId: id,
        answerId,
        parentId: thread.headId ?? null,
        text,
        modelId,
        mode: queued.mode ?? undefined,
        files: queued.files ?? undefined,
      }
      await ask(tx, ctx, question, timeOf(ctx, args.at))
      await tx.mutate.queuedMessage.delete({ id })
      for (const other of others) await tx.mutate.queuedMessage.update({ id: other.id, hold: null })
    }),
  ),
}

/** The row of a message that is put behind all that waits. Refuses before anything is written. */
const lastInQueue = async (
  tx: Tx,
  ctx: Viewer,
  thread: RowOf<'thread'>,
  queue: readonly RowOf<'queuedMessage'>[],
  { id, answerId, text, files = [], modelId, effort, mode, at }: QueueAddArgs,
) => {
  const nowMs = timeOf(ctx, at)
  if (text.trim() === '' && files.length === 0) throw refuse('message_empty')
  if (queue.length >= maxQueuedMessages) throw refuse('queue_full')
  await mustHaveRoom(tx, ctx, nowMs)
  await checkModel(tx, ctx, modelId, files, nowMs)
  await mustBeFree(tx, thread, { id, answerId })
  return {
    id,
    threadId: thread.id,
    userId: ctx.userId,
    answerId,
    text,
    modelId,
    effort: effort ?? null,
    mode: mode ?? null,
    files: files.length > 0 ? files : null,
    // Behind everything that waits, whatever clocks say.
    createdAt: Math.max(nowMs, (queue.at(-1)?.createdAt ?? 0) + 1),
  }
}

/**
 * Whoever says something behind a plan has decided about it, and what was said before and waits for the plan goes first: this takes its
 * place behind that, and the queue goes on. So it does behind what is about to be sent anyway. False when there is nothing it would pass.
 */
export const sendBehindQueue = async (tx: Tx, ctx: Viewer, args: QueueAddArgs & { readonly parentId: string | null }): Promise<boolean> => {
  const thread = args.parentId === null ? undefined : await findThread(tx, ctx, args.threadId)
  // What is said elsewhere in the thread is another branch, and is no answer to the plan.
  if (!thread || thread.deletedAt != null || isBusy(thread) || thread.headId !== args.parentId) return false
  const queue = await queueOf(tx, thread.id)
  const [first] = queue
  if (!first || (first.hold != null && first.hold !== 'plan_waiting')) return false
  const row = await lastInQueue(tx, ctx, thread, queue, args)
  await leavePlan(tx, thread.id)
  await tx.mutate.queuedMessage.insert({ ...row, hold: null })
  return true
}

/**
 * Both ids become messages; one that is taken would be refused for ever when its turn comes. One that waits already would not even be
 * inserted, and the text would be gone without a word.
 */
const mustBeFree = async (
  tx: Tx,
  { streamId }: RowOf<'thread'>,
  { id, answerId }: Pick<QueueAddArgs, 'id' | 'answerId'>,
): Promise<void> => {
  if (id === answerId) throw refuse('invalid_request')
  for (const wanted of [id, answerId]) {
    const waiting = zql.queuedMessage.where(({ or, cmp }) => or(cmp('id', wanted), cmp('answerId', wanted)))
    const isTaken = wanted === streamId || (await tx.run(zql.message.where('id', wanted).one())) || (await tx.run(waiting.one()))
    if (isTaken) throw refuse('invalid_request')
  }
}

/** Credits may be gone now and there when it is its turn; what the model asks of a person seldom changes that soon. */
const checkModel = async (tx: Tx, ctx: Viewer, modelId: string, files: readonly AttachedFile[], nowMs: number): Promise<void> => {
  const model = await tx.run(zql.model.where('id', modelId).one())
  if (!model) throw refuse('no_model')
  const reason = modelRefusal(await planFor(tx, ctx, nowMs), model) ?? fileRefusal(model, files)
  if (reason) throw refuse(reason.code)
}

/** A message that arrives just after the turn it waited for waits as if it had arrived just before. */
const holdAfter = async (tx: Tx, thread: RowOf<'thread'>): Promise<QueueHold | null> => holdOf(await headOf(tx, thread))

type Held = QueueHold | null

/** Gives another reason, or none, to those of a thread's queue whose reason is asked for. */
const rehold = async (tx: Tx, threadId: string, isMeant: (hold: Held) => boolean, hold: Held): Promise<void> => {
  for (const queued of await queueOf(tx, threadId))
    if (isMeant(queued.hold ?? null)) await tx.mutate.queuedMessage.update({ id: queued.id, hold })
}

/** Whoever has the answer written again that held the queue, or starts its plan, has the queue wait for what comes in its place. */
export const waitAgain = async (tx: Tx, thread: RowOf<'thread'>, questionId: string): Promise<void> => {
  const head = await headOf(tx, thread)
  if (head?.parentId === questionId && holdOf(head) !== null) await rehold(tx, thread.id, isOfAnswer, null)
}

/** A plan that is set aside asks nothing any more; one that is taken up again does. */
export const planMoved = (tx: Tx, threadId: string, isDismissed: boolean): Promise<void> =>
  isDismissed ? leavePlan(tx, threadId) : rehold(tx, threadId, beginsItself, 'plan_waiting')

/** Whoever says something else behind a plan has decided about it. */
export const leavePlan = (tx: Tx, threadId: string): Promise<void> => rehold(tx, threadId, (hold) => hold === 'plan_waiting', null)

const isOfAnswer = (hold: Held): boolean => hold !== null && answerHolds.has(hold)
const beginsItself = (hold: Held): boolean => hold === null || isDailyHold(hold)

const headOf = async (tx: Tx, { headId }: RowOf<'thread'>): Promise<RowOf<'message'> | undefined> =>
  headId == null ? undefined : tx.run(zql.message.where('id', headId).one())

const holdOf = (head: RowOf<'message'> | undefined): QueueHold | null =>
  head?.message.role === 'assistant' ? holdBehind(head.message) : null
