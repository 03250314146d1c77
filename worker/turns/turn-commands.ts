/**
 * The commands to generations. They are derived from rows, so there is no outbox that could be lost. A command needs a thread that waits for an
 * answer, and the open turn of that answer in D1. A command is idempotent, so repeating it is harmless.
 */

import { type AttachedFile, filePart, filesOf } from '../contract/files/files.ts'
import { deletedTurnMs } from '../contract/limits.ts'
import { budgetFor, isMessageTooLong } from '../contract/models/context-budget.ts'
import type { FittingFiles } from '../contract/models/context-window.ts'
import { fallbacksFor } from '../contract/models/fallbacks.ts'
import { figuresOf } from '../contract/models/model-use.ts'
import { summaryJob } from '../contract/models/summary-job.ts'
import { turnRequest } from '../contract/models/turn-quote.ts'
import { unpaidPlanCost } from '../contract/research/research-quote.ts'
import { type RowOf, zql } from '../contract/schema.ts'
import { namesAnswer } from '../contract/threads/comparison.ts'
import { usesMemory } from '../contract/threads/memories.ts'
import type { ChatMessage, RefusedFile } from '../contract/threads/messages.ts'
import { isProvisionalTitle } from '../contract/threads/titles.ts'
import type { StartFailure, StartTurn, TurnProject } from '../contract/threads/turn.ts'
import { decidedCalls, grantsIn, waitsForApproval } from '../contract/tools/approvals.ts'
import { usedServers } from '../contract/tools/server-definitions.ts'
import { originsOfContext } from '../contract/tools/taint.ts'
import type { ReservedTurn } from '../db/turns.ts'
import type { Change } from '../sync/engine/types.ts'
import { findRow, planIn, type Rows, rowsOf } from '../user-sync/replica-rows.ts'
import { type TurnMemory, turnMemory } from './turn-memories.ts'

/** `objectId`: the id of the `Generation` object that receives the command. */
export type TurnCommand = { readonly generationId: string; readonly objectId: string } & (
  | { readonly type: 'start'; readonly command: StartTurn }
  /** Also used if the question was deleted; a generation that never started then ends as stopped. */
  | { readonly type: 'stop' }
  /** For a turn that cannot start. A generation that is already writing ignores it. */
  | { readonly type: 'fail'; readonly reason: StartFailure }
)

type Thread = RowOf<'thread'>

/** Threads with open turns. */
export const threadsInFlight = (rows: Rows, openTurns: readonly ReservedTurn[]): readonly Thread[] =>
  [...new Set(openTurns.map(({ threadId }) => threadId))].flatMap((id) => findRow(rows, 'thread', id) ?? [])

// The replica holds rows as the contract describes them.
export const changedThreads = (changes: readonly Pick<Change, 'table' | 'row'>[]): readonly Thread[] =>
  changes.flatMap(({ table, row }) => (table === 'thread' && row !== null ? [row as unknown as Thread] : []))

export function turnCommands(
  rows: Rows,
  userId: string,
  threads: readonly Thread[],
  openTurns: readonly ReservedTurn[],
  nowMs = Date.now(),
): readonly TurnCommand[] {
  return threads.flatMap((thread): TurnCommand[] => {
    const { status, deletedAt, compared } = thread
    if (status !== 'submitted' && status !== 'stopping') return []
    const hasUndoExpired = deletedAt != null && nowMs >= deletedAt + deletedTurnMs
    const isWanted = (id: string) =>
      status === 'submitted' && !hasUndoExpired && !compared?.some((answer) => answer.id === id && answer.isStopping)
    // A turn that is not found has ended; the thread's next state arrives with the feed.
    return openTurns
      .filter(({ threadId, generationId }) => threadId === thread.id && namesAnswer(thread, generationId))
      .map((turn) => commandFor(rows, userId, turn, isWanted(turn.generationId), nowMs))
  })
}

function commandFor(rows: Rows, userId: string, turn: ReservedTurn, isWanted: boolean, nowMs: number): TurnCommand {
  const { generationId, objectId } = turn
  const command = isWanted ? startCommand(rows, userId, turn, nowMs) : null
  if (command) {
    const { plan, model } = command
    // Without the files of the project, as in the composer.
    const question = findRow(rows, 'message', turn.parentId)?.message
    return question && isMessageTooLong(question, plan, model)
      ? { type: 'fail', generationId, objectId, reason: 'message_over_budget' }
      : { type: 'start', generationId, objectId, command }
  }
  const isModelMissing = isWanted && rows.get('model', { id: turn.modelId }) === undefined
  return isModelMissing ? { type: 'fail', generationId, objectId, reason: 'model_not_installed' } : { type: 'stop', generationId, objectId }
}

/** Null if the question, the model, the user or the thread is missing. */
export function startCommand(rows: Rows, userId: string, turn: ReservedTurn, nowMs: number): StartTurn | null {
  const { generationId, threadId, parentId, continueId } = turn
  const path = pathTo(rows, threadId, parentId)
  const model = findRow(rows, 'model', turn.modelId)
  const user = findRow(rows, 'user', userId)
  const thread = findRow(rows, 'thread', threadId)
  if (path.length === 0 || !model || !user || !thread) return null
  const history = path.map(({ message }) => message)
  const setting = findRow(rows, 'setting', userId)
  const project = projectOf(rows, thread)
  const continued = continueId === null ? undefined : findRow(rows, 'message', continueId)?.message
  const approvals = rowsOf(rows, zql.approval.where('threadId', threadId))
  const grants = grantsIn(approvals)
  const plan = planIn(rows, userId, nowMs)
  const memory = memoryOf(rows, turn, { thread, setting, project, model, history, isContinued: continued !== undefined })
  const budget = budgetFor(plan, model)
  const summaries = rowsOf(rows, zql.summary.where('threadId', threadId))
  const sent = turnRequest({ mode: turn.mode, path, profile: setting, project, continued, summaries, hasMemory: memory !== null }, budget)
  const toSummarize = sent.writesSummary ? summaryJob(history, sent.from, summaries, plan) : null
  const sentHistory = withFiles(sent.messages, sent.projectFiles.files)
  const origins = originsOfContext({ history, hasProjectFiles: sent.projectFiles.files.length > 0, continued })
  const omittedFiles = refusedBefore(rows, sentHistory, threadId, model.id)
  const offTools = thread.offTools ?? project?.offTools ?? []
  const toolServerIds = usableServers(rows, userId, offTools)
  return {
    generationId,
    userId,
    threadId,
    parentId,
    history: sentHistory,
    ...(omittedFiles.length > 0 && { omittedFiles }),
    isHistoryCut: sent.isCut,
    ...(toSummarize && { toSummarize }),
    ...(continued ? { continued: continued.parts } : {}),
    ...(continued?.role === 'assistant' && waitsForApproval(continued.parts)
      ? { decided: decidedCalls(continued.parts, approvals), replacesId: continued.id, earlier: figuresOf(continued.metadata) }
      : {}),
    ...(grants.length > 0 && { grants }),
    paid: turn.mode === 'research' && continued?.role === 'assistant' ? (continued.metadata.paid ?? null) : null,
    // The plan may allow less output than the model.
    model: { ...model, credits: turn.credits, maxOutputTokens: budget.outputTokens },
    ...(turn.price && { price: { ...turn.price, planMicroDollars: continued ? unpaidPlanCost(continued) : 0 } }),
    fallbacks: fallbacksFor(plan, model, sent.inputTokens, (id) => findRow(rows, 'model', id)),
    mode: turn.mode,
    plan,
    effort: turn.effort,
    offTools,
    ...(toolServerIds.length > 0 && { toolServerIds }),
    ...(origins.length > 0 && { origins }),
    needsTitle: thread.expiresAt == null && isProvisionalTitle(thread.title, history),
    isCompared: thread.compared?.some(({ id }) => id === generationId) ?? false,
    ...(memory?.reading && { reading: memory.reading }),
    profile: {
      name: user.name,
      nickname: setting?.nickname,
      biography: setting?.biography,
      instructions: setting?.instructions,
      project: project && turnProject(project, sent.projectFiles),
      ...(memory && memory.given.length > 0 && { memories: memory.given }),
    },
  }
}

type MemoryContext = {
  readonly thread: Thread
  readonly setting: RowOf<'setting'> | undefined
  readonly project: RowOf<'project'> | undefined
  readonly model: RowOf<'model'>
  readonly history: readonly ChatMessage[]
  readonly isContinued: boolean
}

/** Null if the thread uses no memory. */
function memoryOf(
  rows: Rows,
  { mode }: ReservedTurn,
  { thread, setting, project, model, history, isContinued }: MemoryContext,
): TurnMemory | null {
  const question = history.at(-1)
  if (!question || !usesMemory(setting, project, thread.expiresAt != null)) return null
  // The makers of all fallbacks that the row names: a superset of those that may answer.
  const makers = [model, ...(model.fallbackIds ?? []).flatMap((id) => findRow(rows, 'model', id) ?? [])].map(({ icon }) => icon)
  return turnMemory(rows, { userId: thread.userId, question, makers, isGiven: mode !== 'research', isRead: !isContinued })
}

/** A server whose login has ended is asked too: its calls then say so. D1 decides later whether the user is a member still. */
function usableServers(rows: Rows, userId: string, offTools: readonly string[]): readonly string[] {
  const own = rowsOf(rows, zql.toolServer.where('userId', userId))
  // The ids are few, and the rows of all organizations are large.
  const ofOrganizations = offTools.flatMap((id) => findRow(rows, 'organizationToolServer', id) ?? [])
  return usedServers([...own, ...ofOrganizations.map((row) => ({ ...row, isOfOrganization: true }))], offTools).map(({ id }) => id)
}

/** A deleted project counts as none. */
function projectOf(rows: Rows, { projectId }: RowOf<'thread'>): RowOf<'project'> | undefined {
  const project = projectId == null ? undefined : findRow(rows, 'project', projectId)
  return project?.deletedAt == null ? project : undefined
}

function turnProject({ name, instructions }: RowOf<'project'>, { files, omitted }: FittingFiles): TurnProject {
  const namesOf = (some: readonly AttachedFile[]) => some.map((file) => file.name)
  return {
    name,
    instructions,
    ...(files.length > 0 && { files: namesOf(files) }),
    ...(omitted.length > 0 && { omittedFiles: namesOf(omitted) }),
  }
}

/** Adds the files of the project to the first user message. Every turn then begins with the same text and uses the prompt cache. */
function withFiles(history: readonly ChatMessage[], files: readonly AttachedFile[]): readonly ChatMessage[] {
  const index = history.findIndex(({ role }) => role === 'user')
  const first = history[index]
  if (files.length === 0 || first?.role !== 'user') return history
  return history.with(index, { ...first, parts: [...files.map(filePart), ...first.parts] })
}

/**
 * The files of the history that the model refused in any version of an answer of the thread. With one of them, every request would fail again;
 * another model may read it.
 */
function refusedBefore(rows: Rows, history: readonly ChatMessage[], threadId: string, modelId: string): readonly RefusedFile[] {
  const sentIds = new Set(history.flatMap(filesOf).map(({ id }) => id))
  if (sentIds.size === 0) return []
  const refused = rowsOf(rows, zql.message.where('threadId', threadId)).flatMap(({ message }) => {
    if (message.role !== 'assistant' || message.metadata.modelId !== modelId) return []
    return message.metadata.failure?.files ?? []
  })
  return [...new Map(refused.filter(({ id }) => sentIds.has(id)).map((file) => [file.id, file])).values()]
}

/** The branch from the first message to `messageId`, oldest first. */
function pathTo(rows: Rows, threadId: string, messageId: string): readonly RowOf<'message'>[] {
  const path: RowOf<'message'>[] = []
  const seen = new Set<string>()
  for (let id: string | null | undefined = messageId; id != null; ) {
    const row: RowOf<'message'> | undefined = findRow(rows, 'message', id)
    // In a broken thread (a missing or foreign parent, or a cycle) the path starts at the first intact message.
    if (!row || row.threadId !== threadId || seen.has(id)) break
    seen.add(id)
    path.push(row)
    id = row.parentId
  }
  return path.reverse()
}
