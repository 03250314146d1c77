/**
 * A turn in the storage of its object: its phase, its chunks and its readers. Every method reads the phase and writes synchronously, so
 * nothing can happen between the two.
 *
 * Invariants: nothing else is stored or sent before the start command is stored; chunks are added only in the phase `running`; the ending is
 * stored once, in the same transaction as the last chunks; readers get the end after it is stored.
 */
import type { ModelRequest } from '../../contract/models/model-use.ts'
import type { StreamChunk } from '../../contract/threads/message-stream.ts'
import type { Ending } from '../../contract/threads/messages.ts'
import type { Failure } from '../model/failures.ts'
import { type RegisteredReader, ResumableStream } from './resumable-stream.ts'
import { SegmentLog } from './segment-log.ts'
import { isContent, maxAnswerBytes, storedBytes } from './settlement.ts'
import {
  createTurn,
  type Later,
  type NewTurn,
  readTurnState,
  rewriteTurn,
  type TurnRecord,
  type TurnState,
  type TurnStorage,
  writeAttempt,
  writeEnded,
  writeSettled,
} from './turn-state.ts'

/** These are always accepted: the row limit reserves space for them, so that a full answer can end. */
const closers: ReadonlySet<StreamChunk['type']> = new Set(['text-end', 'reasoning-end', 'finish-step'])

/** The part of the object that a turn uses. `lost` is called with the error of a failed write. */
export type StoredTurnHost = {
  readonly storage: TurnStorage
  readonly later: Later
  readonly lost: (error: unknown) => void
  /** Called with a chunk that exceeds the limit. */
  readonly full: (chunk: StreamChunk) => void
  readonly nowMs: () => number
}

export class StoredTurn {
  readonly #host: StoredTurnHost
  readonly #storage: TurnStorage
  #state: TurnState
  /** Null before the start command is stored. */
  #log: SegmentLog | null = null
  /** Null before the start command is stored. Readers receive chunks only after the start command is durable. */
  #stream: ResumableStream | null = null
  #bytes = 0

  constructor(host: StoredTurnHost) {
    this.#host = host
    this.#storage = host.storage
    this.#state = readTurnState(this.#storage.sql)
    if (this.#state.phase === 'absent') return
    this.#log = this.#openLog()
    this.#stream = new ResumableStream(this.#log, host.later)
    if (this.#state.phase !== 'running') this.#stream.end(this.#state.ended.ending)
    // A continued answer has only the space that its stored chunks leave.
    else for (const chunk of this.#log.chunks()) this.#bytes += storedBytes(chunk)
  }

  get state(): TurnState {
    return this.#state
  }

  isOf(userId: string, threadId?: string): boolean {
    if (this.#state.phase === 'absent') return false
    const { turn } = this.#state
    return turn.userId === userId && (threadId === undefined || turn.threadId === threadId)
  }

  /** The guest became this account. */
  changeOwner(userId: string): void {
    if (this.#state.phase === 'absent') return
    this.#changeTurn({ userId })
  }

  /**
   * Records that a request leaves now. Called before the request is sent: the platform holds outgoing messages until earlier writes are
   * durable, so a crash cannot lose the mark of a request that was sent.
   */
  requestSent(): void {
    if (this.#state.phase === 'running' && !this.#state.turn.requestSent) this.#changeTurn({ requestSent: true })
  }

  /** Resolves to true when the mark is durable, for the first caller alone. */
  async markCalled(toolCallId: string): Promise<boolean> {
    if (this.#state.phase !== 'running') return false
    const { called = [] } = this.#state.turn
    if (called.includes(toolCallId)) return false
    this.#changeTurn({ called: [...called, toolCallId] })
    await this.#storage.sync()
    return this.#state.phase === 'running'
  }

  /**
   * Records a request that the model begins to answer. Returns what replaces it at the end of the answer, when its figures and the model that
   * answered are known. Figures that arrive after the ending are ignored.
   */
  addRequest(request: ModelRequest): (answered: ModelRequest) => void {
    if (this.#state.phase !== 'running') return () => {}
    const { requests = [] } = this.#state.turn
    this.#changeTurn({ requests: [...requests, request] })
    return (answered) => {
      if (this.#state.phase !== 'running') return
      this.#changeTurn({ requests: (this.#state.turn.requests ?? []).with(requests.length, answered) })
    }
  }

  /** Messages are left out of the requests, because no summary of them could be written. */
  historyCut(): void {
    if (this.#state.phase === 'running') this.#changeTurn({ isHistoryCut: true })
  }

  /**
   * Stores the turn and `given`, the chunks that exist before the model's output. Resolves when the storage confirms the write. Readers get
   * nothing before that: after a crash other chunks could have the same numbers.
   */
  async begin(newTurn: NewTurn, given: readonly StreamChunk[]): Promise<void> {
    const turn: TurnRecord = { ...newTurn, givenChunks: given.length, requestSent: false }
    try {
      this.#storage.transactionSync(() => createTurn(this.#storage.sql, turn))
      const log = this.#openLog()
      const stream = new ResumableStream(null, this.#host.later)
      this.#log = log
      this.#stream = stream
      this.#state = { phase: 'running', turn }
      for (const chunk of given) this.write(chunk)
      // The chunks after them are counted from their number.
      log.flush()
      await this.#storage.sync()
      stream.follow(log)
    } catch (error) {
      this.#host.lost(error)
      throw error
    }
  }

  /** Adds a chunk and sends it at once. Chunks after the ending are ignored. */
  readonly write = (chunk: StreamChunk): void => {
    if (this.#state.phase !== 'running') return
    const bytes = storedBytes(chunk)
    if (this.#bytes + bytes > maxAnswerBytes && !closers.has(chunk.type)) {
      this.#host.full(chunk)
      return
    }
    this.#bytes += bytes
    this.#log?.append(chunk)
    if (isContent(chunk)) this.#noteFirstWord(this.#state.turn)
    this.#stream?.send()
  }

  /** Stores the ending. False if the answer has one. */
  end(ending: Ending, failure: Failure | null, endedAtMs: number): boolean {
    if (this.#state.phase !== 'running') return false
    const { turn } = this.#state
    const ended = { ending, failure, endedAtMs }
    this.#storage.transactionSync(() => {
      if (failure) this.#log?.append({ type: 'error', errorText: failure.code })
      this.#log?.append({ type: 'finish' })
      this.#log?.flush()
      writeEnded(this.#storage.sql, ended)
    })
    this.#state = { phase: 'ended', turn, ended, attempts: 0 }
    this.#stream?.end(ending)
    return true
  }

  /** Counts a failed attempt to write the ending to D1. */
  settlingFailed(): void {
    if (this.#state.phase !== 'ended') return
    writeAttempt(this.#storage.sql)
    this.#state = { ...this.#state, attempts: this.#state.attempts + 1 }
  }

  settled(settledAtMs: number): void {
    if (this.#state.phase !== 'ended') return
    const { turn, ended } = this.#state
    writeSettled(this.#storage.sql, settledAtMs)
    this.#state = { phase: 'settled', turn, ended, settledAtMs }
  }

  /** The question was read for facts, or could not be. */
  memoryRead(): void {
    this.#changeTurn({ reading: undefined })
  }

  chunks(): StreamChunk[] {
    return this.#log?.chunks() ?? []
  }

  /** Events after chunk `after`, for one reader. */
  read(after: number, reader?: RegisteredReader): ReadableStream<Uint8Array> {
    if (!this.#stream) throw new Error('a turn is read before its start command is stored')
    return this.#stream.open(after, reader)
  }

  #changeTurn(change: Partial<Pick<TurnRecord, 'userId' | 'requestSent' | 'requests' | 'called' | 'reading' | 'isHistoryCut'>>): void {
    if (this.#state.phase === 'absent') return
    const turn: TurnRecord = { ...this.#state.turn, ...change }
    rewriteTurn(this.#storage.sql, turn)
    this.#state = { ...this.#state, turn }
  }

  /** In memory; stored with the next write of the turn (the usage figures). Chunks before the model's output do not count. */
  #noteFirstWord(turn: TurnRecord): void {
    if (turn.firstWordMs !== undefined || this.#state.phase !== 'running' || (this.#log?.last ?? 0) <= turn.givenChunks) return
    this.#state = { ...this.#state, turn: { ...turn, firstWordMs: this.#host.nowMs() - turn.startedAtMs } }
  }

  #openLog(): SegmentLog {
    return new SegmentLog(this.#storage.sql, this.#host.later, this.#host.lost)
  }
}
