/** Shared by the mutators: their definition, finding rows, checking a turn and starting one. */

import { ApplicationError, defineMutator, type ReadonlyJSONValue, type Transaction } from '@rocicorp/zero'
import * as z from 'zod/mini'
import { contentRefusal, forkRefusal, type Plan } from './access.ts'
import { type Refusal, type RefusalCode, type RefusalValues, refusal } from './errors.ts'
import { type AttachedFile, filePart } from './files/files.ts'
import { planOfRows } from './first-page.ts'
import { idSchema, modelIdSchema } from './ids.ts'
import { maxMessageChars, maxOffTools, maxTitleChars, temporaryThreadMs } from './limits.ts'
import { type TurnMode, turnModes } from './models/modes.ts'
import { type RowOf, type Schema, type Viewer, zql } from './schema.ts'
import { isBlank } from './text.ts'
import { isVisible } from './threads/branches.ts'
import { comparedAnswers, isDistinct, type OtherAnswer } from './threads/comparison.ts'
import { isBusy } from './threads/thread-status.ts'
import { isProvisionalTitle, titleFromText, titleSource } from './threads/titles.ts'
import { type TurnRequest, turnRefusal } from './threads/turn-refusal.ts'

export type Tx = Transaction<Schema>

/** Epoch ms of the browser's clock. The server uses its own clock instead. */
export const at = z.int().check(z.gte(0))
export const timeOf = (ctx: Viewer, clientMs: number): number => ctx.nowMs ?? clientMs

/** D1 replaces each byte of a lone surrogate by a character. Then the stored text would never equal `was` of a later edit. */
const wellFormed = z.overwrite<string>((text) => text.toWellFormed())
export const textSchema = z.string().check(wellFormed, z.maxLength(maxMessageChars, 'message_too_long'))
export const titleSchema = z.string().check(wellFormed, z.maxLength(maxTitleChars))

export const turnArgs = {
  threadId: idSchema,
  answerId: idSchema,
  modelId: modelIdSchema,
  /** Absent: chat. */
  mode: z.optional(z.enum(turnModes)),
  at,
}

/** Ids of sources of tools: 'web' or ids of servers. */
export const sourceIdsArg = z.array(z.string().check(z.regex(/^[A-Za-z0-9_-]{3,64}$/))).check(z.maxLength(maxOffTools))

export const findThread = (tx: Tx, ctx: Viewer, threadId: string): Promise<RowOf<'thread'> | undefined> =>
  tx.run(zql.thread.where('id', threadId).where('userId', ctx.userId).one())

/** A deleted thread is refused like one that does not exist. */
export const mustFindThread = async (tx: Tx, ctx: Viewer, threadId: string): Promise<RowOf<'thread'>> => {
  const thread = await findThread(tx, ctx, threadId)
  if (!thread || thread.deletedAt != null) throw refuse('not_found')
  return thread
}

/** As `mustFindThread`, and refuses a temporary thread. For mutators that would keep or publish the thread. */
export const mustFindPermanent = async (tx: Tx, ctx: Viewer, threadId: string): Promise<RowOf<'thread'>> => {
  const thread = await mustFindThread(tx, ctx, threadId)
  if (thread.expiresAt != null) throw refuse('thread_temporary')
  return thread
}

/** A deleted project counts as missing. */
export const findProject = async (tx: Tx, { userId }: Viewer, id: string): Promise<RowOf<'project'> | undefined> => {
  const project = await tx.run(zql.project.where('id', id).where('userId', userId).one())
  return project?.deletedAt == null ? project : undefined
}

export const mustFindMessage = async (tx: Tx, threadId: string, messageId: string): Promise<RowOf<'message'>> => {
  const message = await tx.run(zql.message.where('id', messageId).where('threadId', threadId).one())
  if (!message || message.deletedAt != null) throw refuse('not_found')
  return message
}

/**
 * Finds a visible message. Another device may have deleted an ancestor, and a message below it would be invisible. The head is always
 * visible, so the usual next message reads no other rows.
 */
export const mustFindVisible = async (tx: Tx, thread: RowOf<'thread'>, messageId: string): Promise<RowOf<'message'>> => {
  const message = await mustFindMessage(tx, thread.id, messageId)
  if (messageId !== thread.headId && !isVisible(await tx.run(zql.message.where('threadId', thread.id)), messageId))
    throw refuse('not_found')
  return message
}

export async function planFor(tx: Tx, { userId }: Viewer, nowMs: number): Promise<Plan> {
  const [user = null] = await tx.run(zql.user.where('id', userId))
  const [customer = null] = await tx.run(zql.userCustomer.where('userId', userId))
  const organizationCustomers: RowOf<'organizationCustomer'>[] = []
  for (const { organizationId } of await tx.run(zql.member.where('userId', userId)))
    organizationCustomers.push(...(await tx.run(zql.organizationCustomer.where('organizationId', organizationId))))
  return planOfRows({ user, customer, organizationCustomers }, nowMs)
}

/** Refuses a turn that the user may not start. The client and the server decide with the same functions. */
export const checkTurn = async (
  tx: Tx,
  ctx: Viewer,
  { modelId, compareWith, ...request }: TurnRequest & Pick<Question, 'modelId' | 'compareWith'>,
  nowMs: number,
): Promise<void> => {
  const usage = await tx.run(zql.usage.where('userId', ctx.userId).one())
  const findModel = (id: string) => tx.run(zql.model.where('id', id).one())
  const model = await findModel(modelId)
  const others = await Promise.all((compareWith ?? []).map((other) => findModel(other.modelId)))
  const plan = await planFor(tx, ctx, nowMs)
  const reason = turnRefusal({ plan, model, others, usage }, request, nowMs)
  if (reason) throw refuse(reason.code)
}

type ContentSize = { readonly bytes: number; readonly rows: number }

/** Refuses to add content when the user's storage for it is full, or has no space for `added`. */
export const mustHaveStorage = async (tx: Tx, ctx: Viewer, nowMs: number, added?: ContentSize): Promise<void> => {
  const usage = await tx.run(zql.usage.where('userId', ctx.userId).one())
  const reason = contentRefusal(await planFor(tx, ctx, nowMs), usage, added)
  if (reason) throw refuse(reason.code)
}

/** Refuses a fork of this size if the user's limits do not allow it. */
export const mustMayFork = async (tx: Tx, ctx: Viewer, nowMs: number, copy: ContentSize): Promise<void> => {
  const usage = await tx.run(zql.usage.where('userId', ctx.userId).one())
  const plan = await planFor(tx, ctx, nowMs)
  const reason = forkRefusal(plan, usage, nowMs) ?? contentRefusal(plan, usage, copy)
  if (reason) throw refuse(reason.code)
}

/** A new version of the first question also renames the thread, as long as the title is provisional. */
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
  /** True if the thread does not continue with this model. */
  readonly isModelForOnce?: boolean | undefined
  /** True if the user typed the text. */
  readonly isTyped?: boolean | undefined
  /** Where texts in it came from. */
  readonly origins?: readonly string[] | undefined
  /** The answers of other models. */
  readonly compareWith?: readonly OtherAnswer[] | undefined
  readonly mode?: TurnMode | undefined
  /** Attachments. A message may have attachments and no text. */
  readonly files?: readonly AttachedFile[] | undefined
  /** Effort of a thread that this message starts. */
  readonly effort?: string | undefined
  /** Tools that are switched off in a thread that this message starts. */
  readonly offTools?: readonly string[] | undefined
  /** Project of a thread that this message starts. */
  readonly projectId?: string | undefined
  /** True if the thread that this message starts is temporary. */
  readonly isTemporary?: boolean | undefined
}

/**
 * Refuses a comparison with a repeated model or answer id, or in research mode. Returns the answers of the message, or null if only one model
 * answers.
 */
export const checkCompared = (question: Pick<Question, 'answerId' | 'modelId' | 'compareWith' | 'mode'>) => {
  const compared = comparedAnswers(question)
  if (compared && (question.mode === 'research' || !isDistinct(compared))) throw refuse('invalid_request')
  return compared
}

/** A temporary thread ends an hour after its last turn began. */
export const laterExpiry = (thread: Pick<RowOf<'thread'>, 'expiresAt'>, nowMs: number): { expiresAt?: number } =>
  thread.expiresAt == null ? {} : { expiresAt: nowMs + temporaryThreadMs }

/** Inserts a message and sets its thread to wait for the answer, or refuses. Returns `begun` if the message starts the thread. */
export const startTurn = async (tx: Tx, ctx: Viewer, question: Question, nowMs: number): Promise<'begun' | 'continued'> => {
  const { threadId, messageId, answerId, parentId, text, files = [], isModelForOnce, isTyped, origins = [] } = question
  const { effort, offTools, projectId, isTemporary } = question
  if (isBlank(text) && files.length === 0) throw refuse('message_empty')
  const thread = await findThread(tx, ctx, threadId)
  if (thread && thread.deletedAt != null) throw refuse('not_found')
  if (thread && isBusy(thread)) throw refuse('thread_busy')
  const compared = checkCompared(question)
  await checkTurn(tx, ctx, question, nowMs)
  if (parentId !== null) {
    if (!thread) throw refuse('not_found')
    await mustFindVisible(tx, thread, parentId)
  }
  // Inserting an existing id is a no-op, and the turn would answer the existing message.
  if (await tx.run(zql.message.where('id', messageId).one())) throw refuse('invalid_request')

  // A message restores an archived thread and marks the answers before it as read.
  const turn = {
    status: 'submitted',
    streamId: answerId,
    headId: messageId,
    updatedAt: nowMs,
    archivedAt: null,
    unreadAt: null,
    compared,
  } as const
  if (thread)
    await tx.mutate.thread.update({
      id: thread.id,
      ...turn,
      ...laterExpiry(thread, nowMs),
      ...(parentId === null && thread.expiresAt == null && (await retitled(tx, thread, text, files))),
    })
  else
    await tx.mutate.thread.insert({
      id: threadId,
      userId: ctx.userId,
      // A temporary thread has no title, because its words must not appear in a list or in the title of the page.
      title: isTemporary ? null : titleFromText(titleSource(text, files)),
      ...(isTemporary ? { expiresAt: nowMs + temporaryThreadMs } : {}),
      createdAt: nowMs,
      ...turn,
      ...(effort ? { effort } : {}),
      ...(offTools ? { offTools } : {}),
      // A project that another device deleted meanwhile must not lose the message.
      ...(projectId && !isTemporary && (await findProject(tx, ctx, projectId)) ? { projectId } : {}),
    })
  await tx.mutate.message.insert({
    id: messageId,
    threadId,
    userId: ctx.userId,
    parentId,
    message: {
      id: messageId,
      role: 'user',
      parts: [...files.map(filePart), ...(text === '' ? [] : [{ type: 'text' as const, text }])],
      ...(isModelForOnce && { isModelForOnce }),
      ...(isTyped && { isTyped }),
      ...(origins.length > 0 && { origins }),
    },
    createdAt: nowMs,
    updatedAt: nowMs,
  })
  return thread ? 'continued' : 'begun'
}

/** What a mutator is, beyond its writes. The server decides by it. */
export type MutatorTraits = {
  /** Deletes or stops something, or undoes a deletion. Accepted above the daily limit of mutations. */
  readonly reduces?: true
  /** Copies or adds whole threads, without a credit. One is committed at a time, and a pause follows. */
  readonly isPaced?: true
  /** Counts as a fork of the day. */
  readonly isFork?: true
  /** Its update adds content, which D1 checks against the limits of the user. An insert and a changed text always count as content. */
  readonly addsContent?: true
}

type Args = ReadonlyJSONValue | undefined
type Run<Output> = (options: { readonly tx: Tx; readonly args: Output; readonly ctx: Viewer }) => Promise<void>

/**
 * Defines a mutator that can refuse. After a write of another device, the client re-runs unconfirmed mutations. A refusal thrown there would
 * stop the connection, so a refused rebase writes nothing; the server's refusal follows. A mutator must refuse before its first write.
 */
export const mutator = <Input extends Args, Output extends Args>(
  { args, ...traits }: MutatorTraits & { readonly args: z.core.$ZodType<Output, Input> },
  run: Run<Output>,
) => ({
  ...defineMutator(args, async (options: Parameters<Run<Output>>[0]) => {
    try {
      await run(options)
    } catch (error) {
      if (options.tx.reason !== 'rebase' || !(error instanceof ApplicationError)) throw error
    }
  }),
  traits,
})

/**
 * The error that rejects a mutation: the client rolls back the optimistic rows and the caller gets the code. Not in `errors.ts`, which pages
 * without the sync client import.
 */
export const refuse = (code: RefusalCode, values?: RefusalValues): ApplicationError<Refusal> =>
  new ApplicationError(code, { details: refusal(code, values) })
