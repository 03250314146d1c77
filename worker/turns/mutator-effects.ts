/**
 * The server's additions to the contract's mutators. A turn reserves its credits and opens its generation in the same batch as its message,
 * and D1 checks the limits of stored content. These run after the mutator, which has refused what the user may not do. Mutators that only the server
 * runs (`contract/server-mutators.ts`) check and write here.
 */
import { ApplicationError, InputValidationError } from '@rocicorp/zero'
import { creditsFor, dayOf } from '../contract/access.ts'
import { type AnswerRequest, answersOf, namesAnswer } from '../contract/comparison.ts'
import { effortFor } from '../contract/effort.ts'
import { namedRefusalCode, type RefusalCode, refusal } from '../contract/errors.ts'
import { creditsPerDay, researchesPerDay, searchesPerDay } from '../contract/limits.ts'
import { planFor, type Tx } from '../contract/mutator-rules.ts'
import { answerArgs, sendArgs } from '../contract/mutators.ts'
import { queueSendArgs, reservedIds } from '../contract/queue-mutators.ts'
import { refuse } from '../contract/refuse.ts'
import { startResearchArgs } from '../contract/research-mutators.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { searchesFor } from '../contract/tools.ts'
import { type ContentLimits, contentLimitsOf } from '../db/content-use.ts'
import type { RequestedTurn, Reservation } from '../db/turns.ts'
import { isWritable } from '../db/writes.ts'
import type { Json, Row } from '../sync/engine/types.ts'
import type { MutatorCall } from '../sync/object/app.ts'
import type { AppError } from '../sync/protocol/down.ts'
import type { Applied, RowWrite } from '../sync/pull/source.ts'
import { UnknownMutatorError } from '../sync/push/apply-mutators.ts'
import { writeImport } from './import-threads.ts'
import { endSentDraft, saveDraft } from './write-drafts.ts'
import { deletePrompt, restorePrompt, savePrompt, sharePrompt } from './write-prompts.ts'
import { createShare, revokeShare } from './write-shares.ts'

type OpenedTurn = { readonly turn: RequestedTurn; readonly reservation: Reservation }

type Effects = {
  /** The turns that the mutation opens; a comparison opens several. */
  readonly opened: readonly OpenedTurn[]
  /** The limits that D1 checks it against; null when it adds no content. */
  readonly content: ContentLimits | null
}

const noEffects: Effects = { opened: [], content: null }

/** By mutator: the writes of mutators that only the server runs, and additions to others. Each function checks its arguments. */
const serverWrites: { readonly [name: string]: (tx: Tx, args: unknown, userId: string, nowMs: number) => Promise<void> } = {
  'threads.import': writeImport,
  'shares.create': createShare,
  'shares.revoke': revokeShare,
  'prompts.save': savePrompt,
  'prompts.delete': deletePrompt,
  'prompts.restore': restorePrompt,
  'prompts.share': sharePrompt,
  'drafts.save': saveDraft,
  'threads.send': endSentDraft,
  'queue.add': endSentDraft,
}

/** `effects` come from `addEffects` alone, or are null for writes of the server itself. */
export const effectsOf = ({ effects }: Applied): Effects => (effects as Effects | null) ?? noEffects

export async function addEffects(
  { tx: anyTx, name, args, userId, nowMs, writes }: MutatorCall,
  run: () => Promise<void>,
): Promise<Effects> {
  // The transaction is made from the contract's schema.
  const tx = anyTx as unknown as Tx
  // Before it runs: the mutator deletes the queued message.
  const requested = await requestedTurns(tx, name, args)
  await run()
  const opened: OpenedTurn[] = []
  // A repeated mutation writes nothing, and its turns are open already.
  for (const turn of writes.length > 0 ? requested : []) opened.push(...(await openTurn(tx, turn, userId, nowMs)))
  await serverWrites[name]?.(tx, args, userId, nowMs)
  await mustBeUnreserved(tx, writes, opened, userId)
  return { opened, content: await contentLimitsFor(tx, { name, writes, opened }, userId, nowMs) }
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

/** The opened turn. Empty when the message waits in the queue instead. */
async function openTurn(tx: Tx, requested: RequestedTurn, userId: string, nowMs: number): Promise<readonly OpenedTurn[]> {
  const thread = await tx.run(zql.thread.where('id', requested.threadId).one())
  if (!thread || !namesAnswer(thread, requested.generationId)) return []
  // The answer is stored under this id. A message with the id would block it.
  if (await tx.run(zql.message.where('id', requested.generationId).one())) throw refuse('invalid_request')
  const model = await tx.run(zql.model.where('id', requested.modelId).one())
  if (!model) throw refuse('no_model')
  const turn: RequestedTurn = { ...requested, effort: effortFor(model, requested.effort ?? thread.effort) }
  return [{ turn, reservation: await reservationFor(tx, model, turn, userId, nowMs) }]
}

/** A queued message could never be sent after another message or turn got one of its ids. */
async function mustBeUnreserved(tx: Tx, writes: readonly RowWrite[], opened: readonly OpenedTurn[], userId: string): Promise<void> {
  const messages = writes.filter(({ kind, table }) => kind === 'insert' && table === 'message')
  const ids = [...messages.map(({ row }) => String(row.id)), ...opened.map(({ turn }) => turn.generationId)]
  if (ids.length === 0) return
  const reserved = await reservedIds(tx, userId)
  if (ids.some((id) => reserved.has(id))) throw refuse('invalid_request')
}

const forks = 'threads.fork'

/**
 * The limits that D1 checks this mutation against; null when it adds no content. Titles and flags of existing rows are not checked, so that
 * a user without storage can still rename, delete and dismiss.
 */
async function contentLimitsFor(
  tx: Tx,
  { name, writes, opened }: { readonly name: string; readonly writes: readonly RowWrite[]; readonly opened: readonly OpenedTurn[] },
  userId: string,
  nowMs: number,
): Promise<ContentLimits | null> {
  if (opened.length === 0 && !writes.some((write) => addsContent(name, write))) return null
  return contentLimitsOf(await planFor(tx, { userId }, nowMs), name === forks ? dayOf(nowMs) : null)
}

const addsContent = (name: string, { kind, table, row }: RowWrite): boolean => {
  // A link stores no content, and a shared prompt is a copy in the directory.
  if (table === 'setting' || table === 'share' || table === 'sharedPrompt' || kind === 'delete') return false
  if (kind !== 'update') return true
  // An ended draft has an empty text.
  if (table === 'prompt' || table === 'draft') return Boolean(row.text)
  return table === 'queuedMessage' ? row.text !== undefined : name === 'research.putStep'
}

/** The turns that a mutation asks for. Empty when it asks for no answer, and for arguments that the mutator will refuse. */
async function requestedTurns(tx: Tx, name: string, args: Json | undefined): Promise<readonly RequestedTurn[]> {
  switch (name) {
    case 'threads.send': {
      const parsed = sendArgs.safeParse(args)
      if (!parsed.success) return []
      const { threadId, messageId, mode = 'chat' } = parsed.data
      return turnsFor(parsed.data, { threadId, parentId: messageId, mode, effort: null, queuedId: null })
    }
    case 'threads.answer': {
      const parsed = answerArgs.safeParse(args)
      if (!parsed.success) return []
      const { answerId, threadId, parentId, modelId, mode = 'chat', continueId } = parsed.data
      return [{ generationId: answerId, threadId, parentId, modelId, mode, continueId: continueId ?? null, effort: null, queuedId: null }]
    }
    case 'research.start': {
      const parsed = startResearchArgs.safeParse(args)
      const plan = parsed.success ? await tx.run(zql.message.where('id', parsed.data.messageId).one()) : undefined
      if (!parsed.success || plan?.parentId == null) return []
      const { answerId, threadId, messageId, modelId } = parsed.data
      const { parentId } = plan
      return [
        { generationId: answerId, threadId, parentId, modelId, mode: 'research', continueId: messageId, effort: null, queuedId: null },
      ]
    }
    case 'queue.send': {
      const parsed = queueSendArgs.safeParse(args)
      const id = parsed.data?.id
      const queued = id && (await tx.run(zql.queuedMessage.where('id', id).one()))
      if (!queued) return []
      const { threadId, mode, effort = null } = queued
      return turnsFor(queued, { threadId, parentId: id, mode: mode ?? 'chat', effort, queuedId: id })
    }
    default:
      return []
  }
}

const turnsFor = (request: AnswerRequest, turn: Omit<RequestedTurn, 'generationId' | 'modelId' | 'continueId'>): readonly RequestedTurn[] =>
  answersOf(request).map(({ id, modelId }) => ({
    ...turn,
    generationId: id,
    modelId,
    continueId: null,
  }))

async function reservationFor(
  tx: Tx,
  model: RowOf<'model'>,
  { mode, continueId }: RequestedTurn,
  userId: string,
  nowMs: number,
): Promise<Reservation> {
  const usage = await tx.run(zql.usage.where('userId', userId).one())
  const plan = await planFor(tx, { userId }, nowMs)
  const cut = continueId === null ? undefined : await tx.run(zql.message.where('id', continueId).one())
  return {
    credits: creditsFor(model),
    // A day ahead of this machine's clock is correct: days never decrease.
    day: Math.max(dayOf(nowMs), usage?.day ?? 0),
    dailyLimit: creditsPerDay[plan],
    search: mode === 'search' ? searchesFor(cut?.message.parts) : 0,
    searchLimit: searchesPerDay[plan],
    research: mode === 'research' ? 1 : 0,
    researchLimit: researchesPerDay[plan],
  }
}
