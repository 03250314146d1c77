/**
 * The stored state of a turn, and the task of the alarm in each state. The state is one row: every change of phase is one statement, and phases
 * only go forward. The tables are created with the turn, so an object without a turn stores nothing.
 */
import { creditsFor, type Plan } from '../../contract/access.ts'
import { generationMaxMs } from '../../contract/limits.ts'
import type { Fallback } from '../../contract/models/fallbacks.ts'
import type { AnswerFigures, ModelRequest } from '../../contract/models/model-use.ts'
import type { TurnMode } from '../../contract/models/modes.ts'
import { defaultCreditMicroDollars, type TurnPrice } from '../../contract/models/quote.ts'
import type { RowOf } from '../../contract/schema.ts'
import type { GivenMemory } from '../../contract/threads/memories.ts'
import type { StreamChunk } from '../../contract/threads/message-stream.ts'
import type { Ending, RefusedFile, ResearchPayment } from '../../contract/threads/messages.ts'
import { firstQuestion, titleFromText } from '../../contract/threads/titles.ts'
import { type MemoryReading, newestOf, type StartTurn } from '../../contract/threads/turn.ts'
import type { DecidedCall } from '../../contract/tools/approvals.ts'
import type { OpenTurn } from '../../db/turns.ts'
import type { Failure } from '../model/failures.ts'

/** The parts of the start command that are needed to end the turn. */
export type TurnRecord = Pick<StartTurn, 'generationId' | 'userId' | 'threadId' | 'parentId'> & {
  readonly model: { readonly id: string; readonly name: string; readonly icon: string; readonly credits: number }
  /** Models that may have answered instead. `model`: the slug in `requests`. Absent for a turn whose start command never arrived. */
  readonly fallbacks?: readonly Pick<Fallback, 'name' | 'model'>[]
  readonly mode: TurnMode
  /** The origins of the text in the context before the turn's own calls (contract/tools/taint.ts). Absent: none. */
  readonly origins?: readonly string[]
  /** The decided calls of the continued answer. */
  readonly decided?: readonly DecidedCall[]
  /** The decided calls that were sent, by their tool call ids. A call is stored here before it is sent. */
  readonly called?: readonly string[]
  /** The answer that this one replaces when it ends. */
  readonly replacesId?: string
  /** The figures of that answer. */
  readonly earlier?: AnswerFigures
  /** Files that the request leaves out. */
  readonly omittedFiles?: readonly RefusedFile[]
  /** The requests leave out the beginning of the thread, without a summary of it. */
  readonly isHistoryCut?: true
  /** How the turn is charged, up to `model.credits`. Absent: these credits are charged. */
  readonly price?: TurnRecordPrice
  /** The credits that the continued research has paid. */
  readonly paid?: ResearchPayment | null
  readonly demo: boolean
  /** A title from the first message, for a thread without a better one. */
  readonly title: string | null
  /** The number of chunks before the model's output: the start, and the parts of the continued answer. */
  readonly givenChunks: number
  readonly startedAtMs: number
  /** True once a request to a model or a search provider has been sent. From then on a stop is charged (`turnEnding`). */
  readonly requestSent: boolean
  /** The requests to the model that were answered. Absent before the first one. */
  readonly requests?: readonly ModelRequest[]
  /** From the start to the first text or file of the model. */
  readonly firstWordMs?: number
  /** The facts about the user that the requests contain. */
  readonly memories?: readonly GivenMemory[]
  /** The text to read for facts after the completed turn is settled. Absent afterwards. */
  readonly reading?: (MemoryReading & { readonly model: RowOf<'model'>; readonly plan: Plan }) | undefined
  /** Needed by a research to continue after a restart. */
  readonly research?: ResearchInput
}

type TurnRecordPrice = TurnPrice & {
  /** The cost of the plan of the research. */
  readonly planMicroDollars: number
  readonly outputMicroDollarsPerMillionTokens: number | null
}

type ResearchInput = Pick<StartTurn, 'history' | 'omittedFiles' | 'model' | 'fallbacks' | 'mode' | 'plan' | 'effort' | 'profile'>

/** A new turn, without chunks and requests. */
export type NewTurn = Omit<TurnRecord, 'givenChunks' | 'requestSent' | 'requests' | 'firstWordMs' | 'called'>

export function newTurn(command: StartTurn, demo: boolean, startedAtMs: number, creditMicroDollars = defaultCreditMicroDollars): NewTurn {
  const {
    generationId,
    userId,
    threadId,
    parentId,
    model,
    fallbacks,
    mode,
    plan,
    needsTitle,
    history,
    effort,
    profile,
    paid = null,
    omittedFiles,
    reading,
    isHistoryCut,
    toSummarize,
    price,
    origins = [],
    decided,
    replacesId,
    earlier,
  } = command
  return {
    generationId,
    userId,
    threadId,
    parentId,
    model: { id: model.id, name: model.name, icon: model.icon, credits: creditsFor(model) },
    fallbacks: fallbacks.map(({ name, model }) => ({ name, model })),
    mode,
    ...(origins.length > 0 && { origins }),
    ...(decided && { decided }),
    ...(replacesId !== undefined && { replacesId }),
    ...(earlier && { earlier }),
    ...(omittedFiles && { omittedFiles }),
    ...(isHistoryCut && !toSummarize && { isHistoryCut }),
    ...(price && {
      price: { ...price, creditMicroDollars, outputMicroDollarsPerMillionTokens: model.outputMicroDollarsPerMillionTokens ?? null },
    }),
    paid,
    demo,
    title: needsTitle ? titleFromText(firstQuestion(history)) : null,
    startedAtMs,
    ...(profile.memories && { memories: profile.memories }),
    ...(reading && { reading: { ...reading, model, plan } }),
    ...(mode === 'research'
      ? {
          research: {
            history: newestOf(history, maxKeptHistoryChars),
            ...(omittedFiles && { omittedFiles }),
            model,
            fallbacks,
            mode,
            plan,
            effort,
            profile,
          },
        }
      : {}),
  }
}

/** The first chunk of an answer. */
export function startOf({ generationId, model, demo }: Pick<TurnRecord, 'generationId' | 'model' | 'demo'>): StreamChunk {
  const shown = { modelId: model.id, modelName: model.name, modelIcon: model.icon, ...(demo ? { demo } : {}) }
  return { type: 'start', messageId: generationId, messageMetadata: shown }
}

/** Platform limit: 2 MB per row. A research is about the end of its conversation. */
const maxKeptHistoryChars = 300_000

/** Without a title: the next turn in the thread creates one. */
export const turnWithoutCommand = ({ continued: _continued, ...open }: OpenTurn, startedAtMs: number): NewTurn => ({
  ...open,
  demo: false,
  title: null,
  startedAtMs,
})

export type Ended = { readonly ending: Ending; readonly failure: Failure | null; readonly endedAtMs: number }

export type TurnState =
  | { readonly phase: 'absent' }
  | { readonly phase: 'running'; readonly turn: TurnRecord }
  /** Ended, and not confirmed by D1. `attempts` counts the writes. */
  | { readonly phase: 'ended'; readonly turn: TurnRecord; readonly ended: Ended; readonly attempts: number }
  | { readonly phase: 'settled'; readonly turn: TurnRecord; readonly ended: Ended; readonly settledAtMs: number }

const turnTable = `create table turn (turn text not null, ended text, attempts integer not null default 0, settledAtMs integer)`
/** One line per chunk: JSON has no line break, so a segment is split without parsing. */
const segmentTable = `create table segment (fromChunk integer primary key, toChunk integer not null, lines text not null)`

export function readTurnState(sql: Sql): TurnState {
  if (sql.exec("select 1 from sqlite_master where name = 'turn'").toArray().length === 0) return { phase: 'absent' }
  const row = sql.exec('select turn, ended, attempts, settledAtMs from turn').toArray()[0]
  if (typeof row?.turn !== 'string') return { phase: 'absent' }
  const turn: TurnRecord = JSON.parse(row.turn)
  if (typeof row.ended !== 'string') return { phase: 'running', turn }
  const ended: Ended = JSON.parse(row.ended)
  if (typeof row.settledAtMs === 'number') return { phase: 'settled', turn, ended, settledAtMs: row.settledAtMs }
  return { phase: 'ended', turn, ended, attempts: Number(row.attempts) }
}

export function createTables(sql: Sql): void {
  sql.exec(turnTable)
  sql.exec(segmentTable)
}

/** Call in a transaction, which creates the tables and the turn, or nothing. */
export function createTurn(sql: Sql, turn: TurnRecord): void {
  createTables(sql)
  sql.exec('insert into turn (turn) values (?)', JSON.stringify(turn))
}

export const rewriteTurn = (sql: Sql, turn: TurnRecord): void => void sql.exec('update turn set turn = ?', JSON.stringify(turn))

export const writeEnded = (sql: Sql, ended: Ended): void =>
  void sql.exec('update turn set ended = ? where ended is null', JSON.stringify(ended))

export const writeAttempt = (sql: Sql): void => void sql.exec('update turn set attempts = attempts + 1')

export const writeSettled = (sql: Sql, settledAtMs: number): void => void sql.exec('update turn set settledAtMs = ?', settledAtMs)

/** The used part of a Durable Object's SQLite. Unit tests implement it with `node:sqlite`. */
export type Sql = {
  exec(query: string, ...bindings: (string | number | null)[]): { toArray(): Record<string, unknown>[] }
}

export type TurnStorage = {
  readonly sql: Sql
  /** Commits all writes of `run`, or none if it throws. */
  transactionSync(run: () => void): void
  /** Resolves when everything written so far is durable. */
  sync(): Promise<void>
}

/** Runs `run` after `delayMs` unless the returned function is called first. */
export type Later = (delayMs: number, run: () => void) => () => void

export const later: Later = (delayMs, run) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}

/**
 * Chosen: the time limit for writing an ending to D1, which usually takes milliseconds. Shorter than `generationHeartbeatMs`, so that the
 * alarm has stored the failure before it sets its next time.
 */
export const settleTimeoutMs = 4000

const firstBackoffMs = 1000
const maxBackoffMs = 60_000

/**
 * `wait`: the answer is running. `end-overdue`: it has run longer than a call may take. `recover`: the object restarted during the turn; the
 * runner ends the turn, or resumes its research. `settle`: D1 has not confirmed the ending.
 */
export type AlarmTask = 'wait' | 'end-overdue' | 'recover' | 'settle' | 'none'

/**
 * The alarm is the heartbeat of a running turn. It also retries the D1 batch of the ending, deletes the log, and recovers a turn after a
 * restart. Before it is set, the alarm of the user's object covers the turn (worker/turns/SPEC.md, T2).
 * `liveSinceMs`: when the work started in this instance of the object; null if it does not run here.
 */
export function alarmTask({ phase }: TurnState, liveSinceMs: number | null, nowMs: number): AlarmTask {
  if (phase === 'ended') return 'settle'
  if (phase !== 'running') return 'none'
  if (liveSinceMs === null) return 'recover'
  return nowMs - liveSinceMs >= generationMaxMs ? 'end-overdue' : 'wait'
}

/** 1 s, 2 s, 4 s … a minute: D1 comes back within seconds after a restart and within minutes after an outage. */
export const settleBackoffMs = (attempts: number): number => Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(attempts, 10))
