/**
 * One answer as it grows in its object's storage: its phase, its chunks, its readers. Every method is synchronous, so nothing comes
 * between looking at the phase and writing what follows from it.
 *
 * Always holds: nothing is stored before the order, and nobody hears anything before it is; chunks are added only while the phase is
 * `running`; the ending is claimed once, in the same transaction as the last chunks; readers hear of the end after it is stored.
 */
import type { StreamChunk } from '../contract/message-stream.ts'
import type { Ending } from '../contract/messages.ts'
import type { AnswerTables } from './answer-tables.ts'
import type { Failure } from './failures.ts'
import { maxAnswerBytes, storedBytes } from './finalize.ts'
import { Readers } from './readers.ts'
import { SegmentLog } from './segment-log.ts'
import type { AnswerStorage, Later } from './storage.ts'
import { readTurnState, rewriteTurn, type Turn, type TurnState, writeAttempt, writeEnded, writeSettled, writeTurn } from './turn-state.ts'

/** These always fit: the row limit has room for them, and an answer that is full must still be ended properly. */
const closers: ReadonlySet<StreamChunk['type']> = new Set(['text-end', 'reasoning-end', 'finish-step'])

/** Say where a block begins and ends, and nothing else. */
const unseen: ReadonlySet<StreamChunk['type']> = new Set([...closers, 'text-start', 'reasoning-start', 'start-step'])

/** What an answer stands on in its object. `lost` hears of a write that failed, of which whoever wrote may know nothing, or know no help. */
export type AnswerPlace = {
  readonly storage: AnswerStorage
  readonly tables: AnswerTables
  readonly later: Later
  readonly lost: (error: unknown) => void
}

export class Answer {
  readonly #storage: AnswerStorage
  readonly #tables: AnswerTables
  readonly #later: Later
  readonly #lost: (error: unknown) => void
  #state: TurnState
  /** Chunks of an order that is not stored yet. */
  #given: readonly StreamChunk[] = []
  /** There once the order is stored. */
  #log: SegmentLog | null = null
  /** There from the order on, and told what is in the log once it is known to be stored. */
  #readers: Readers | null = null
  #bytes = 0
  #lastType: StreamChunk['type'] | null = null

  constructor(generationId: string, { storage, tables, later, lost }: AnswerPlace) {
    this.#storage = storage
    this.#tables = tables
    this.#later = later
    this.#lost = lost
    this.#state = tables.exist ? readTurnState(storage.sql, generationId) : { phase: 'absent' }
    if (this.#state.phase === 'absent') return
    this.#log = this.#openLog(generationId)
    this.#readers = new Readers(this.#log, later, Date.now)
    if (this.#state.phase !== 'running') this.#readers.end(this.#state.ended.ending)
    // What goes on with it has no more room than what was written before left it.
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

  /** The guest who asked has become this account. */
  handOver(userId: string): void {
    if (this.#state.phase === 'absent') return
    const turn: Turn = { ...this.#state.turn, userId }
    if (this.#log) rewriteTurn(this.#storage.sql, turn)
    this.#state = { ...this.#state, turn }
  }

  /** `given`: chunks that are there before the model says anything. `soon`: the caller stores the order; what comes sooner does it, too. */
  begin(order: Omit<Turn, 'givenChunks'>, given: readonly StreamChunk[], storing: 'now' | 'soon'): void {
    this.#given = given
    this.#readers = new Readers(null, this.#later, Date.now)
    this.#state = { phase: 'running', turn: { ...order, givenChunks: given.length } }
    if (storing === 'now') this.store()
  }

  /**
   * Stores the order and what was given, once. Readers hear nothing before that is known: an object that died sooner would begin anew, with
   * other words under the same numbers.
   */
  store(): void {
    if (this.#log || this.#state.phase === 'absent') return
    const { turn } = this.#state
    try {
      const write = () => {
        this.#tables.create()
        writeTurn(this.#storage.sql, turn)
      }
      // One statement needs no transaction.
      if (this.#tables.exist) write()
      else this.#storage.transactionSync(write)
    } catch (error) {
      this.#lost(error)
      throw error
    }
    const log = this.#openLog(turn.generationId)
    this.#log = log
    for (const chunk of this.#given) this.write(chunk)
    this.#given = []
    this.#storage.sync().then(() => this.#readers?.follow(log), this.#lost)
  }

  /** Adds a chunk and passes it on at once. False when the answer has no room for it; what comes after the ending is ignored. */
  write(chunk: StreamChunk): boolean {
    if (this.#state.phase !== 'running') return true
    this.store()
    const bytes = storedBytes(chunk)
    if (this.#bytes + bytes > maxAnswerBytes && !closers.has(chunk.type)) return false
    this.#bytes += bytes
    this.#log?.append(chunk)
    this.#tellReaders(chunk.type)
    return true
  }

  /** Claims the ending. False when it has one already. */
  end(ending: Ending, failure: Failure | null, endedAtMs: number): boolean {
    if (this.#state.phase !== 'running') return false
    this.store()
    const { turn } = this.#state
    const ended = { ending, failure, endedAtMs }
    this.#storage.transactionSync(() => {
      if (failure) this.#log?.append({ type: 'error', errorText: failure.message })
      this.#log?.append({ type: 'finish' })
      this.#log?.flush()
      writeEnded(this.#storage.sql, turn.generationId, ended)
    })
    this.#state = { phase: 'ended', turn, ended, attempts: 0 }
    this.#readers?.end(ending)
    return true
  }

  /** D1 did not take the ending. */
  settlingFailed(): void {
    if (this.#state.phase !== 'ended') return
    writeAttempt(this.#storage.sql, this.#state.turn.generationId)
    this.#state = { ...this.#state, attempts: this.#state.attempts + 1 }
  }

  settled(settledAtMs: number): void {
    if (this.#state.phase !== 'ended') return
    const { turn, ended } = this.#state
    writeSettled(this.#storage.sql, turn.generationId, settledAtMs)
    this.#state = { phase: 'settled', turn, ended, settledAtMs }
  }

  chunks(): StreamChunk[] {
    return this.#log?.chunks() ?? []
  }

  /** Events after chunk `after`, for one reader. */
  read(after: number): ReadableStream<Uint8Array> {
    if (!this.#readers) throw new Error('an answer is read after it was ordered')
    return this.#readers.open(after)
  }

  /** The first word of anything is waited for; one that follows another is part of a flow, and what stands around them can wait. */
  #tellReaders(type: StreamChunk['type']): void {
    const isFlow = type === this.#lastType && (type === 'text-delta' || type === 'reasoning-delta')
    this.#lastType = type
    if (isFlow) this.#readers?.wakeSoon()
    else if (unseen.has(type)) this.#readers?.wakeLater()
    else this.#readers?.wake()
  }

  #openLog(generationId: string): SegmentLog {
    return new SegmentLog(this.#storage.sql, generationId, this.#later, this.#lost)
  }
}
