/** What the mutators of several tables share: finding rows, refusing turns, and beginning one. */
import { ApplicationError, type Transaction } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { contentRefusal, forkRefusal, type Plan } from './access.ts'
import { isInSight } from './branches.ts'
import { refuse } from './errors.ts'
import { type AttachedFile, filePart } from './files.ts'
import { idSchema } from './ids.ts'
import { maxMessageChars } from './limits.ts'
import { type TurnMode, turnModes } from './modes.ts'
import { answerLater, planFacts } from './plan-facts.ts'
import { type RowOf, type Schema, zql } from './schema.ts'
import { isProvisionalTitle, titleFromText, titleSource } from './titles.ts'
import { type Asked, turnRefusal } from './turn-refusal.ts'
import type { Viewer } from './viewer.ts'

export type Tx = Transaction<Schema>

/** Epoch ms by the browser's clock; the server replaces it with its own. */
export const at = z.int().check(z.gte(0))
export const timeOf = (ctx: Viewer, clientMs: number): number => ctx.nowMs ?? clientMs

export const modelIdSchema = z.string().check(z.minLength(1), z.maxLength(100))
export const textSchema = z.string().check(z.maxLength(maxMessageChars, 'message_too_long'))

export const turnArgs = {
  threadId: idSchema,
  answerId: idSchema,
  modelId: modelIdSchema,
  /** Absent: chat. */
  mode: z.optional(z.enum(turnModes)),
  at,
}

export const findThread = (tx: Tx, ctx: Viewer, threadId: string): Promise<RowOf<'thread'> | undefined> =>
  tx.run(zql.thread.where('id', threadId).where('userId', ctx.userId).one())

/** A deleted thread answers like one that never was. */
export const mustFindThread = async (tx: Tx, ctx: Viewer, threadId: string): Promise<RowOf<'thread'>> => {
  const thread = await findThread(tx, ctx, threadId)
  if (!thread || thread.deletedAt != null) throw refuse('not_found')
  return thread
}

export const mustFindMessage = async (tx: Tx, threadId: string, messageId: string): Promise<RowOf<'message'>> => {
  const message = await tx.run(zql.message.where('id', messageId).where('threadId', threadId).one())
  if (!message || message.deletedAt != null) throw refuse('not_found')
  return message
}

/**
 * One that is in sight: another device may have taken away what it follows, and nobody would see what is written below it.
 * A thread's head always is, so that the usual next message reads no others.
 */
export const mustFindInSight = async (tx: Tx, thread: RowOf<'thread'>, messageId: string): Promise<RowOf<'message'>> => {
  const message = await mustFindMessage(tx, thread.id, messageId)
  if (messageId !== thread.headId && !isInSight(await tx.run(zql.message.where('threadId', thread.id)), messageId))
    throw refuse('not_found')
  return message
}

export const isBusy = (thread: RowOf<'thread'>): boolean => (thread.status ?? 'ready') !== 'ready'

export const planFor = (tx: Tx, { userId }: Viewer, nowMs: number): Promise<Plan> =>
  answerLater(planFacts(userId, nowMs), (query) => tx.run(query))

/** Refuses a turn this person may not have; the same facts and functions decide on both sides. */
export const checkTurn = async (
  tx: Tx,
  ctx: Viewer,
  { modelId, ...asked }: Asked & { readonly modelId: string },
  nowMs: number,
): Promise<void> => {
  const usage = await tx.run(zql.usage.where('userId', ctx.userId).one())
  const model = await tx.run(zql.model.where('id', modelId).one())
  const plan = await planFor(tx, ctx, nowMs)
  const reason = turnRefusal({ plan, model, usage }, asked, nowMs)
  if (reason) throw refuse(reason.code)
}

/** Refuses to add content when the user's storage for it is full. */
export const mustHaveRoom = async (tx: Tx, ctx: Viewer, nowMs: number): Promise<void> => {
  const usage = await tx.run(zql.usage.where('userId', ctx.userId).one())
  const reason = contentRefusal(await planFor(tx, ctx, nowMs), usage)
  if (reason) throw refuse(reason.code)
}

/** Refuses a copy of this size. */
export const mustMayFork = async (
  tx: Tx,
  ctx: Viewer,
  nowMs: number,
  copy: { readonly bytes: number; readonly rows: number },
): Promise<void> => {
  const usage = await tx.run(zql.usage.where('userId', ctx.userId).one())
  const plan = await planFor(tx, ctx, nowMs)
  const reason = forkRefusal(plan, usage, nowMs) ?? contentRefusal(plan, usage, copy)
  if (reason) throw refuse(reason.code)
}

/** Who asks the first question otherwise has named nothing yet: its thread goes by the new words, as it went by the old ones. */
const retitled = async (tx: Tx, thread: RowOf<'thread'>, text: string, files: readonly AttachedFile[]): Promise<{ title?: string }> => {
  const firsts = await tx.run(zql.message.where('threadId', thread.id).where('parentId', 'IS', null))
  const isOfFirst = firsts.some(({ message }) => isProvisionalTitle(thread.title, [message]))
  return isOfFirst ? { title: titleFromText(titleSource(text, files)) } : {}
}

export type Question = {
  readonly threadId: string
  readonly messageId: string
  readonly answerId: string
  readonly parentId: string | null
  readonly text: string
  readonly modelId: string
  readonly mode?: TurnMode | undefined
  /** What is attached; a message may consist of it alone. */
  readonly files?: readonly AttachedFile[] | undefined
  /** For a thread that this message begins. */
  readonly effort?: string | undefined
}

/** Writes a message and lets its thread wait for the answer, or refuses. Says whether the thread begins with it. */
export const ask = async (tx: Tx, ctx: Viewer, question: Question, nowMs: number): Promise<'begun' | 'continued'> => {
  const { threadId, messageId, answerId, parentId, text, files = [], effort } = question
  if (text.trim() === '' && files.length === 0) throw refuse('message_empty')
  const thread = await findThread(tx, ctx, threadId)
  if (thread && thread.deletedAt != null) throw refuse('not_found')
  if (thread && isBusy(thread)) throw refuse('thread_busy')
  await checkTurn(tx, ctx, question, nowMs)
  if (parentId !== null) {
    if (!thread) throw refuse('not_found')
    await mustFindInSight(tx, thread, parentId)
  }
  // Inserting it would do nothing, and the turn would answer the message that has this id.
  if (await tx.run(zql.message.where('id', messageId).one())) throw refuse('invalid_request')

  const turn = { status: 'submitted', streamId: answerId, headId: messageId, updatedAt: nowMs } as const
  if (thread) await tx.mutate.thread.update({ id: thread.id, ...turn, ...(parentId === null && (await retitled(tx, thread, text, files))) })
  else
    await tx.mutate.thread.insert({
      id: threadId,
      userId: ctx.userId,
      title: titleFromText(titleSource(text, files)),
      createdAt: nowMs,
      ...turn,
      ...(effort ? { effort } : {}),
    })
  await tx.mutate.message.insert({
    id: messageId,
    threadId,
    userId: ctx.userId,
    parentId,
    message: { id: messageId, role: 'user', parts: [...files.map(filePart), ...(text === '' ? [] : [{ type: 'text' as const, text }])] },
    createdAt: nowMs,
    updatedAt: nowMs,
  })
  return thread ? 'continued' : 'begun'
}

type Run<Args> = (options: { readonly tx: Tx; readonly args: Args; readonly ctx: Viewer }) => Promise<void>

/**
 * A mutator that may refuse. When another device's write makes an unconfirmed one of ours impossible, the client runs ours again on top
 * of it; a refusal thrown there would stop its whole connection. So a rebase that is refused writes nothing, and the server's own
 * refusal follows. Refusals come before the first write, or this would leave half of one.
 */
export const refusable =
  <Args>(run: Run<Args>): Run<Args> =>
  async (options) => {
    try {
      await run(options)
    } catch (error) {
      if (options.tx.reason !== 'rebase' || !(error instanceof ApplicationError)) throw error
    }
  }
