/**
 * The server's half of the mutators. A turn reserves its credits and opens its generation in the same batch as its message, and D1 checks the
 * limits of stored content.
 */
import { ApplicationError, defineMutators, InputValidationError } from '@rocicorp/zero'
import { creditRefusal, creditState, dayOf, type Plan } from '../contract/access.ts'
import { namedRefusalCode, type RefusalCode, refusal } from '../contract/errors.ts'
import { creditsPerDay, researchesPerDay } from '../contract/limits.ts'
import { effortFor } from '../contract/models/effort.ts'
import { defaultCreditMicroDollars, type Quote, reservationsFor } from '../contract/models/quote.ts'
import { turnQuote } from '../contract/models/turn-quote.ts'
import { findProject, type MutatorTraits, planFor, refuse, type Tx } from '../contract/mutator-rules.ts'
import { definitions, mutators } from '../contract/mutators.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { readPath } from '../contract/threads/branch-mutators.ts'
import { answersOf, type ComparedAnswer, namesAnswer } from '../contract/threads/comparison.ts'
import { usesMemory } from '../contract/threads/memories.ts'
import type { ChatMessage } from '../contract/threads/messages.ts'
import { reservedIds } from '../contract/threads/queue-mutators.ts'
import { decideApprovalArgs } from '../contract/threads/server-args.ts'
import { definitionTokens, type StoredServer } from '../contract/tools/server-definitions.ts'
import { type ContentLimits, contentLimitsOf } from '../db/content-use.ts'
import type { RequestedTurn } from '../db/turns.ts'
import { isWritable } from '../db/writes.ts'
import { must } from '../lib/assert.ts'
import type { Json, Row } from '../sync/engine/types.ts'
import type { MutatorCall } from '../sync/object/app.ts'
import type { AppError } from '../sync/protocol/down.ts'
import type { Applied, RowWrite } from '../sync/pull/source.ts'
import { UnknownMutatorError } from '../sync/push/apply-mutators.ts'
import { decideCall, denyWaiting, renewApprovals, revokeGrant } from './approval-mutators.ts'
import { defineServerMutator, extend, type OpenedTurn, type ServerContext } from './server-mutator.ts'
import {
  endSentDraft,
  importThreads,
  memoryMutators,
  promptMutators,
  saveDraft,
  setTurnCredits,
  shareMutators,
} from './server-only-mutators.ts'

type Effects = {
  readonly opened: readonly OpenedTurn[]
  /** The limits that D1 checks it against; null when it adds no content. */
  readonly content: ContentLimits | null
}

const { threads, queue, research } = definitions

/** By the path of the contract's mutator. Those without an entry have no effects that only the server has. */
const halves = {
  threads: {
    send: extend(threads.send, async ({ tx, args, ctx, run }) => {
      await run()
      const { threadId, messageId, parentId, mode = 'chat' } = args
      await denyWaiting(tx, ctx, parentId)
      await openTurns(tx, ctx, answersOf(args), { threadId, parentId: messageId, mode })
      await endSentDraft(tx, args, ctx)
    }),
    answer: extend(threads.answer, async ({ tx, args, ctx, run }) => {
      await run()
      const { answerId, threadId, parentId, modelId, mode = 'chat', continueId } = args
      await openTurns(tx, ctx, answersOf({ answerId, modelId }), { threadId, parentId, mode, continueId })
    }),
    import: importThreads,
    setTurnCredits,
  },
  queue: {
    add: extend(queue.add, async ({ tx, args, ctx, run }) => {
      await run()
      await endSentDraft(tx, args, ctx)
    }),
    send: extend(queue.send, async ({ tx, args: { id }, ctx, run }) => {
      // The mutator deletes the row.
      const queued = await tx.run(zql.queuedMessage.where('id', id).one())
      await run()
      if (!queued) return
      const { threadId, mode, effort } = queued
      const message = await tx.run(zql.message.where('id', id).one())
      await denyWaiting(tx, ctx, message?.parentId ?? null)
      await openTurns(tx, ctx, answersOf(queued), { threadId, parentId: id, mode: mode ?? 'chat', effort, queuedId: id })
    }),
  },
  research: {
    start: extend(research.start, async ({ tx, args: { answerId, threadId, messageId, modelId }, ctx, run }) => {
      await run()
      const plan = await tx.run(zql.message.where('id', messageId).one())
      if (plan?.parentId == null) return
      const turn = { threadId, parentId: plan.parentId, mode: 'research', continueId: messageId } as const
      await openTurns(tx, ctx, answersOf({ answerId, modelId }), turn)
    }),
  },
  approvals: {
    decide: defineServerMutator(decideApprovalArgs, async ({ tx, args, ctx }) => {
      const turn = await decideCall(tx, args, ctx)
      if (turn) await openTurns(tx, ctx, answersOf({ answerId: args.answerId, modelId: turn.modelId }), turn)
    }),
    renew: renewApprovals,
    revoke: revokeGrant,
  },
  prompts: promptMutators,
  drafts: { save: saveDraft },
  memories: memoryMutators,
  shares: shareMutators,
} satisfies { readonly [Group in keyof typeof definitions]?: { readonly [Name in keyof (typeof definitions)[Group]]?: unknown } }

export const serverMutators = defineMutators(mutators, halves)

const traits: ReadonlyMap<string, MutatorTraits> = new Map(
  Object.entries(definitions).flatMap(([group, ofGroup]) =>
    Object.entries(ofGroup).map(([name, definition]) => [`${group}.${name}`, definition.traits]),
  ),
)
/** Empty for a name that no mutator has. */
export const traitsOf = (name: string): MutatorTraits => traits.get(name) ?? {}

/** `effects` come from `runMutator` alone, or are null for writes of the server itself. */
export const effectsOf = ({ effects }: Applied): Effects => (effects as Effects | null) ?? { opened: [], content: null }

export async function runMutator(
  { tx: anyTx, mutator, args, userId, nowMs, writes }: MutatorCall,
  creditMicroDollars = defaultCreditMicroDollars,
): Promise<Effects> {
  // The transaction is made from the contract's schema.
  const tx = anyTx as unknown as Tx
  const opened: OpenedTurn[] = []
  await mutator.fn({ tx: anyTx, args, ctx: { userId, nowMs, writes, opened, creditMicroDollars } satisfies ServerContext })
  await mustBeUnreserved(tx, writes, opened, userId)
  const { isFork, addsContent } = traitsOf(mutator.mutatorName)
  const isContent = opened.length > 0 || writes.some((write) => isNewContent(write) || (addsContent && write.kind === 'update'))
  const content = isContent ? contentLimitsOf(await planFor(tx, { userId }, nowMs), isFork ? dayOf(nowMs) : null) : null
  return { opened, content }
}

/** Mutators write some tables only, and rows of their own user only. */
export function checkWrite(table: string, row: Row, userId: string): void {
  if (!isWritable(table)) throw new Error(`mutators may not write ${table}`)
  if (row.userId !== undefined && row.userId !== userId) throw new Error(`a row of ${table} was written for another user`)
}

export function appErrorOf(code: RefusalCode): AppError {
  return { error: 'app', message: code, details: refusal(code) }
}

/** The refusal that a client receives for a mutator's error. */
export function refusalOf(error: unknown): AppError {
  if (error instanceof ApplicationError) {
    // Details come from the contract's own refusals and are JSON.
    const details = error.details as Json | undefined
    return { error: 'app', message: error.message, ...(details === undefined ? {} : { details }) }
  }
  if (error instanceof InputValidationError) {
    const { issues = [] } = error.result as { readonly issues?: readonly { readonly message: string }[] }
    return appErrorOf(namedRefusalCode(issues) ?? 'invalid_request')
  }
  return appErrorOf(error instanceof UnknownMutatorError ? 'invalid_request' : 'internal')
}

type TurnOf = Pick<RequestedTurn, 'threadId' | 'parentId' | 'mode'> & {
  readonly continueId?: string | null | undefined
  readonly effort?: string | null | undefined
  readonly queuedId?: string | null
}

/** Opens the turns in the batch of the message, and reserves their credits. Opens none when the message waits in the queue instead. */
async function openTurns(
  tx: Tx,
  ctx: ServerContext,
  answers: readonly ComparedAnswer[],
  { continueId = null, queuedId = null, effort, ...turnOf }: TurnOf,
): Promise<void> {
  // A repeated mutation writes nothing, and its turns are open already.
  const thread = ctx.writes.length > 0 ? await tx.run(zql.thread.where('id', turnOf.threadId).one()) : undefined
  const turns: ModelTurn[] = []
  for (const { id, modelId } of answers) {
    if (!thread || !namesAnswer(thread, id)) continue
    // The answer is stored under this id. A message with the id would block it.
    if (await tx.run(zql.message.where('id', id).one())) throw refuse('invalid_request')
    const model = await tx.run(zql.model.where('id', modelId).one())
    if (!model) throw refuse('no_model')
    turns.push({ ...turnOf, generationId: id, modelId, continueId, queuedId, effort: effortFor(model, effort ?? thread.effort), model })
  }
  const [first, ...others] = turns
  if (thread && first) ctx.opened.push(...(await reserve(tx, ctx, thread, [first, ...others])))
}

/** A queued message could never be sent after another message or turn got one of its ids. */
async function mustBeUnreserved(tx: Tx, writes: readonly RowWrite[], opened: readonly OpenedTurn[], userId: string): Promise<void> {
  const messages = writes.filter(({ kind, table }) => kind === 'insert' && table === 'message')
  const ids = [...messages.map(({ row }) => String(row.id)), ...opened.map(({ turn }) => turn.generationId)]
  if (ids.length === 0) return
  const reserved = await reservedIds(tx, userId)
  if (ids.some((id) => reserved.has(id))) throw refuse('invalid_request')
}

/**
 * True for an insert and a changed text. Titles and flags of existing rows are not checked, so that a user without storage can still rename, delete
 * and dismiss.
 */
const isNewContent = ({ kind, table, row }: RowWrite): boolean => {
  // A link stores no content, and a shared prompt is a copy in the directory.
  if (table === 'setting' || table === 'share' || table === 'sharedPrompt' || kind === 'delete') return false
  // An ended draft has an empty text.
  return kind !== 'update' || Boolean(row.text)
}

type ModelTurn = RequestedTurn & { readonly model: RowOf<'model'> }

/** Reserves the credits of all turns of a message, or refuses if the credits of the day do not suffice for what they are expected to cost. */
async function reserve(
  tx: Tx,
  { userId, nowMs, creditMicroDollars }: ServerContext,
  thread: RowOf<'thread'>,
  turns: readonly [ModelTurn, ...ModelTurn[]],
): Promise<readonly OpenedTurn[]> {
  const { parentId, continueId, mode } = turns[0]
  const usage = await tx.run(zql.usage.where('userId', userId).one())
  const plan = await planFor(tx, { userId }, nowMs)
  const continued = continueId === null ? undefined : (await tx.run(zql.message.where('id', continueId).one()))?.message
  const quotes = await quotesFor(tx, { userId, thread, parentId, continued, plan, creditMicroDollars }, turns)
  const expected = quotes.reduce((sum, quote) => sum + quote.expected, 0)
  const refused = creditRefusal(plan, usage, expected, nowMs)
  if (refused) throw refuse(refused.code, refused.values)
  const reserved = must(reservationsFor(quotes, creditState(plan, usage, nowMs).left), 'credits for what is expected')
  const paid = mode === 'research' && continued?.role === 'assistant' ? (continued.metadata.paid?.credits ?? 0) : 0
  return turns.map(({ model: _, ...turn }, index) => ({
    turn,
    reservation: {
      ...storedQuote(must(quotes[index], 'a quote for each turn')),
      // D1 subtracts what was paid before, unless another continuation has spent it.
      credits: must(reserved[index], 'credits for each turn') + paid,
      // A day ahead of this machine's clock is correct: days never decrease.
      day: Math.max(dayOf(nowMs), usage?.day ?? 0),
      dailyLimit: creditsPerDay[plan],
      projectId: thread.projectId ?? null,
      research: mode === 'research' ? 1 : 0,
      researchLimit: researchesPerDay[plan],
    },
  }))
}

const storedQuote = ({ minimum, expected }: Quote) => ({ minimum, expected })

type QuotedRows = Pick<ServerContext, 'userId' | 'creditMicroDollars'> & {
  readonly thread: RowOf<'thread'>
  readonly parentId: string
  readonly continued: ChatMessage | undefined
  readonly plan: Plan
}

/** Quotes the requests that `startCommand` sends. Refuses an answer above the limit of its thread. */
async function quotesFor(
  tx: Tx,
  { userId, thread, parentId, continued, plan, creditMicroDollars }: QuotedRows,
  turns: readonly ModelTurn[],
): Promise<readonly Quote[]> {
  const { path } = await readPath(tx, thread.id, parentId)
  const profile = await tx.run(zql.setting.where('userId', userId).one())
  const project = thread.projectId == null ? undefined : await findProject(tx, { userId }, thread.projectId)
  const summaries = await tx.run(zql.summary.where('threadId', thread.id))
  const switched = thread.offTools ?? project?.offTools ?? []
  const tokens = definitionTokens(await serversOf(tx, userId, switched), switched)
  const hasMemory = usesMemory(profile, project, thread.expiresAt != null)
  const rows = { path, profile, project, summaries, continued, plan, hasMemory, turnCredits: thread.turnCredits, definitionTokens: tokens }
  return turns.map(({ model, mode, effort }) => {
    const quote = turnQuote({ ...rows, model, mode, effort }, creditMicroDollars)
    if (quote.exceedsLimit) throw refuse('turn_credits_short')
    return quote
  })
}

/** As `startCommand` reads them: of organizations only those that are switched on. */
async function serversOf(tx: Tx, userId: string, switched: readonly string[]): Promise<readonly StoredServer[]> {
  const own = await tx.run(zql.toolServer.where('userId', userId))
  const ofOrganizations = await Promise.all(switched.map((id) => tx.run(zql.organizationToolServer.where('id', id).one())))
  return [...own, ...ofOrganizations.flatMap((row) => (row ? [{ ...row, isOfOrganization: true }] : []))]
}
