/**
 * What must be remembered of a generation to end its answer after everything else was lost: who asked, when, and how it ended.
 * A row each; every change of phase is one statement, and the phases only go forward.
 */
import { creditsFor } from '../contract/access.ts'
import type { StreamChunk } from '../contract/message-stream.ts'
import type { Ending } from '../contract/messages.ts'
import type { TurnMode } from '../contract/modes.ts'
import type { ResearchPayment } from '../contract/research-cost.ts'
import { firstQuestion, titleFromText } from '../contract/titles.ts'
import { newestOf, type TurnOrder } from '../contract/turn.ts'
import type { OpenTurn } from '../db/turn-endings.ts'
import type { Failure } from './failures.ts'
import type { Sql } from './storage.ts'

/** The order without what only the running model needs. */
export type Turn = Pick<TurnOrder, 'generationId' | 'userId' | 'threadId' | 'parentId'> & {
  readonly model: { readonly id: string; readonly name: string; readonly icon: string; readonly credits: number }
  readonly mode: TurnMode
  /** What was paid for the research that it goes on with. */
  readonly paid?: ResearchPayment | null
  readonly demo: boolean
  /** A title from the first message, should the thread need one and no better be found. */
  readonly title: string | null
  /** How many chunks were there before the model was asked: the start, and what repeats the answer that this one continues. */
  readonly givenChunks: number
  readonly startedAtMs: number
  /** What a research must know to go on after its object lost everything else. */
  readonly research?: ResearchOrder
}

export type ResearchOrder = Pick<TurnOrder, 'history' | 'model' | 'mode' | 'effort' | 'person' | 'hosts'>

export function turnOf(order: TurnOrder, demo: boolean, startedAtMs: number): Omit<Turn, 'givenChunks'> {
  const { generationId, userId, threadId, parentId, model, mode, untitled, history, effort, person, hosts = [], paid = null } = order
  return {
    generationId,
    userId,
    threadId,
    parentId,
    model: { id: model.id, name: model.name, icon: model.icon, credits: creditsFor(model) },
    mode,
    paid,
    demo,
    title: untitled ? titleFromText(firstQuestion(history)) : null,
    startedAtMs,
    ...(mode === 'research' ? { research: { history: newestOf(history, maxKeptHistoryChars), model, mode, effort, person, hosts } } : {}),
  }
}

/** What an answer begins with. */
export function startOf({ generationId, model, demo }: Pick<Turn, 'generationId' | 'model' | 'demo'>): StreamChunk {
  const shown = { modelId: model.id, modelName: model.name, modelIcon: model.icon, ...(demo ? { demo } : {}) }
  return { type: 'start', messageId: generationId, messageMetadata: shown }
}

/** A row holds 2 MB, and the end of a conversation is what a research is about. */
const maxKeptHistoryChars = 300_000

/** The next turn in the thread will find it a title. */
export const turnWithoutOrder = (open: OpenTurn, startedAtMs: number): Omit<Turn, 'givenChunks'> => ({
  ...open,
  demo: false,
  title: null,
  startedAtMs,
})

export type Ended = { readonly ending: Ending; readonly failure: Failure | null; readonly endedAtMs: number }

export type TurnState =
  | { readonly phase: 'absent' }
  | { readonly phase: 'running'; readonly turn: Turn }
  /** Ended here, not yet known to be written in D1. `attempts` counts the tries. */
  | { readonly phase: 'ended'; readonly turn: Turn; readonly ended: Ended; readonly attempts: number }
  | { readonly phase: 'settled'; readonly turn: Turn; readonly ended: Ended; readonly settledAtMs: number }

/** The tables are there. */
export function readTurnState(sql: Sql, generationId: string): TurnState {
  const row = sql.exec('select turn, ended, attempts, settledAtMs from answerTurn where generationId = ?', generationId).toArray()[0]
  if (typeof row?.turn !== 'string') return { phase: 'absent' }
  const turn: Turn = JSON.parse(row.turn)
  if (typeof row.ended !== 'string') return { phase: 'running', turn }
  const ended: Ended = JSON.parse(row.ended)
  if (typeof row.settledAtMs === 'number') return { phase: 'settled', turn, ended, settledAtMs: row.settledAtMs }
  return { phase: 'ended', turn, ended, attempts: Number(row.attempts) }
}

export const writeTurn = (sql: Sql, turn: Turn): void =>
  void sql.exec('insert into answerTurn (generationId, turn) values (?, ?)', turn.generationId, JSON.stringify(turn))

export const rewriteTurn = (sql: Sql, turn: Turn): void =>
  void sql.exec('update answerTurn set turn = ? where generationId = ?', JSON.stringify(turn), turn.generationId)

export const writeEnded = (sql: Sql, generationId: string, ended: Ended): void =>
  void sql.exec('update answerTurn set ended = ? where generationId = ? and ended is null', JSON.stringify(ended), generationId)

export const writeAttempt = (sql: Sql, generationId: string): void =>
  void sql.exec('update answerTurn set attempts = attempts + 1 where generationId = ?', generationId)

export const writeSettled = (sql: Sql, generationId: string, settledAtMs: number): void =>
  void sql.exec('update answerTurn set settledAtMs = ? where generationId = ?', settledAtMs, generationId)
