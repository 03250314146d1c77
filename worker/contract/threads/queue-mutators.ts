/**
 * Messages queued after a running answer. When the thread is ready, the server sends the oldest with the mutator that "Send now" calls. A
 * message on hold waits for the user, and later messages wait for it.
 */
import * as z from 'zod/mini'
import { modelRefusal } from '../access.ts'
import { type AttachedFile, fileRefusal, filesArg } from '../files/files.ts'
import { idSchema, modelIdSchema } from '../ids.ts'
import { maxQueuedMessages } from '../limits.ts'
import { effortLevels } from '../models/effort.ts'
import {
  at,
  checkCompared,
  findThread,
  mustFindThread,
  mustHaveStorage,
  mutator,
  planFor,
  refuse,
  sourceIdsArg,
  startTurn,
  type Tx,
  textSchema,
  timeOf,
  turnArgs,
} from '../mutator-rules.ts'
import { type QueueHold, type RowOf, type Viewer, zql } from '../schema.ts'
import { isBlank } from '../text.ts'
import { answersOf, compareWithArg, namesAnswer } from './comparison.ts'
import { answerHolds, holdBehind, isDailyHold, isDecisionHold, isModeHold, isModelHold } from './queue-holds.ts'
import { keptAnswer } from './thread-model.ts'
import { isBusy } from './thread-status.ts'

/** `id`: id of the future message. */
const queueAddArgs = z.object({
  ...turnArgs,
  id: idSchema,
  effort: z.optional(z.enum(effortLevels)),
  text: textSchema,
  files: filesArg,
  /** As for `threads.send`. */
  draft: z.optional(idSchema),
  compareWith: compareWithArg,
  isTyped: z.optional(z.boolean()),
  origins: z.optional(sourceIdsArg),
})
const queueSendArgs = z.object({ id: idSchema, at })
const queueEditArgs = z.object({
  id: idSchema,
  modelId: z.optional(modelIdSchema),
  /** Only without Search or Research, which need a daily search or research. */
  mode: z.optional(z.enum(['chat'])),
  at: z.optional(at),
})
const queueRemoveArgs = z.object({ id: idSchema })

export type QueueAddArgs = z.infer<typeof queueAddArgs>

const mustFindQueued = async (tx: Tx, ctx: Viewer, id: string): Promise<RowOf<'queuedMessage'>> => {
  const queued = await tx.run(zql.queuedMessage.where('id', id).where('userId', ctx.userId).one())
  if (!queued) throw refuse('not_found')
  return queued
}

const queueOf = (tx: Tx, threadId: string) => tx.run(zql.queuedMessage.where('threadId', threadId).orderBy('createdAt', 'asc'))

export const queueMutators = {
  add: mutator({ args: queueAddArgs }, async ({ tx, args, ctx }) => {
    const thread = await mustFindThread(tx, ctx, args.threadId)
    const row = await lastInQueue(tx, ctx, thread, await queueOf(tx, thread.id), args)
    await tx.mutate.queuedMessage.insert({ ...row, hold: isBusy(thread) ? null : await holdAfter(tx, thread) })
  }),

  /**
   * Changes the model, or removes Search or Research. A new model releases holds of the model, and a new mode releases holds of the mode. A new
   * model also ends a comparison: only that model answers.
   */
  edit: mutator({ args: queueEditArgs }, async ({ tx, args: { id, modelId, mode, at = 0 }, ctx }) => {
    const { threadId, files, hold } = await mustFindQueued(tx, ctx, id)
    await mustFindThread(tx, ctx, threadId)
    if (modelId === undefined && mode === undefined) throw refuse('invalid_request')
    if (modelId !== undefined) await checkModel(tx, ctx, modelId, files ?? [], timeOf(ctx, at))
    const isFreed = hold != null && ((modelId !== undefined && isModelHold(hold)) || (mode !== undefined && isModeHold(hold)))
    await tx.mutate.queuedMessage.update({
      id,
      ...(modelId && { modelId, compareWith: null }),
      ...(mode && { mode }),
      ...(isFreed && { hold: null }),
    })
  }),

  /** A message that is edited is removed, too: its text moves to the composer. */
  remove: mutator({ args: queueRemoveArgs, reduces: true }, async ({ tx, args, ctx }) => {
    const { id } = await mustFindQueued(tx, ctx, args.id)
    await tx.mutate.queuedMessage.delete({ id })
  }),

  /** Sends the queued message as `threads.send` does, and releases the holds of the rest of the queue. */
  send: mutator({ args: queueSendArgs }, async ({ tx, args, ctx }) => {
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
      compareWith: queued.compareWith ?? undefined,
      isTyped: queued.isTyped ?? undefined,
      origins: queued.origins ?? undefined,
      isModelForOnce: await hasOtherModel(tx, thread, modelId),
    }
    await startTurn(tx, ctx, question, timeOf(ctx, args.at))
    await tx.mutate.queuedMessage.delete({ id })
    for (const other of others) await tx.mutate.queuedMessage.update({ id: other.id, hold: null })
  }),
}

/** Chosen: the answer that counts is rarely further back. */
const lookedBack = 40

/** True if the thread continues with the model of another answer: the queued message had its model chosen for itself. */
const hasOtherModel = async (tx: Tx, { id, headId }: RowOf<'thread'>, modelId: string): Promise<boolean> => {
  const messages = await tx.run(zql.message.where('threadId', id).orderBy('createdAt', 'desc').limit(lookedBack))
  return (keptAnswer({ headId, messages })?.modelId ?? modelId) !== modelId
}

/** Builds the row of a message at the end of the queue. Refuses before any write. */
const lastInQueue = async (
  tx: Tx,
  ctx: Viewer,
  thread: RowOf<'thread'>,
  queue: readonly RowOf<'queuedMessage'>[],
  { id, answerId, text, files = [], modelId, compareWith = [], effort, mode, isTyped, origins = [], at }: QueueAddArgs,
) => {
  const nowMs = timeOf(ctx, at)
  if (isBlank(text) && files.length === 0) throw refuse('message_empty')
  if (queue.length >= maxQueuedMessages) throw refuse('queue_full')
  await mustHaveStorage(tx, ctx, nowMs)
  const request = { answerId, modelId, compareWith, mode }
  checkCompared(request)
  const answers = answersOf(request)
  for (const answer of answers) await checkModel(tx, ctx, answer.modelId, files, nowMs)
  await mustBeFree(tx, ctx, thread, [id, ...answers.map((answer) => answer.id)])
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
    compareWith: compareWith.length > 0 ? compareWith : null,
    isTyped: isTyped ?? null,
    origins: origins.length > 0 ? origins : null,
    // Last in the queue, regardless of clock differences.
    createdAt: Math.max(nowMs, (queue.at(-1)?.createdAt ?? 0) + 1),
  }
}

/**
 * Queues a sent message if earlier messages wait for the plan or the call at the head. It releases their hold, and they are sent first. It also queues
 * the message if earlier ones are about to be sent. False if the queue is empty or has another hold.
 */
export const sendBehindQueue = async (tx: Tx, ctx: Viewer, args: QueueAddArgs & { readonly parentId: string | null }): Promise<boolean> => {
  const thread = args.parentId === null ? undefined : await findThread(tx, ctx, args.threadId)
  // A message elsewhere in the thread starts another branch and does not answer the plan.
  if (!thread || thread.deletedAt != null || isBusy(thread) || thread.headId !== args.parentId) return false
  const queue = await queueOf(tx, thread.id)
  const [first] = queue
  if (!first || (first.hold != null && !isDecisionHold(first.hold))) return false
  const row = await lastInQueue(tx, ctx, thread, queue, args)
  await leavePlan(tx, thread.id)
  await tx.mutate.queuedMessage.insert({ ...row, hold: null })
  return true
}

/**
 * All ids become message ids. A taken id would be refused on every attempt to send. An insert with the id of a queued message is a no-op
 * and would lose the text.
 */
const mustBeFree = async (tx: Tx, { userId }: Viewer, thread: RowOf<'thread'>, ids: readonly string[]): Promise<void> => {
  if (new Set(ids).size < ids.length) throw refuse('invalid_request')
  const reserved = await reservedIds(tx, userId)
  for (const wanted of ids) {
    const isTaken = reserved.has(wanted) || namesAnswer(thread, wanted) || (await tx.run(zql.message.where('id', wanted).one()))
    if (isTaken) throw refuse('invalid_request')
  }
}

/** The ids of the user's queued messages and of their answers. */
export const reservedIds = async (tx: Tx, userId: string): Promise<ReadonlySet<string>> => {
  // Reads all of them, because a query cannot search the list of other answers.
  const waiting = await tx.run(zql.queuedMessage.where('userId', userId))
  return new Set(waiting.flatMap((queued) => [queued.id, ...answersOf(queued).map(({ id }) => id)]))
}

/** Checks only the model. Credits are not checked, because they can change until the message is sent. */
const checkModel = async (tx: Tx, ctx: Viewer, modelId: string, files: readonly AttachedFile[], nowMs: number): Promise<void> => {
  const model = await tx.run(zql.model.where('id', modelId).one())
  if (!model) throw refuse('no_model')
  const reason = modelRefusal(await planFor(tx, ctx, nowMs), model) ?? fileRefusal(model, files)
  if (reason) throw refuse(reason.code)
}

/** A message queued just after an answer ended gets the hold that the end of the answer caused. */
const holdAfter = async (tx: Tx, thread: RowOf<'thread'>): Promise<QueueHold | null> => holdOf(await headOf(tx, thread))

type Held = QueueHold | null

/** Replaces the hold of the queued messages of a thread that match. */
const replaceHold = async (tx: Tx, threadId: string, matches: (hold: Held) => boolean, hold: Held): Promise<void> => {
  for (const queued of await queueOf(tx, threadId))
    if (matches(queued.hold ?? null)) await tx.mutate.queuedMessage.update({ id: queued.id, hold })
}

/** If the head holds the queue and its question gets a new answer, the queue waits for that answer instead. */
export const waitAgain = async (tx: Tx, thread: RowOf<'thread'>, questionId: string): Promise<void> => {
  const head = await headOf(tx, thread)
  if (head?.parentId === questionId && holdOf(head) !== null) await replaceHold(tx, thread.id, isOfAnswer, null)
}

/** A dismissed plan releases the queue. A restored plan holds it again. */
export const planMoved = (tx: Tx, threadId: string, isDismissed: boolean): Promise<void> =>
  isDismissed ? leavePlan(tx, threadId) : replaceHold(tx, threadId, beginsItself, 'plan_waiting')

/** Sending another message after a plan or a waiting call releases the queue. */
export const leavePlan = (tx: Tx, threadId: string): Promise<void> => replaceHold(tx, threadId, isDecisionHold, null)

const isOfAnswer = (hold: Held): boolean => hold !== null && answerHolds.has(hold)
const beginsItself = (hold: Held): boolean => hold === null || isDailyHold(hold)

const headOf = async (tx: Tx, { headId }: RowOf<'thread'>): Promise<RowOf<'message'> | undefined> =>
  headId == null ? undefined : tx.run(zql.message.where('id', headId).one())

const holdOf = (head: RowOf<'message'> | undefined): QueueHold | null =>
  head?.message.role === 'assistant' ? holdBehind(head.message) : null
