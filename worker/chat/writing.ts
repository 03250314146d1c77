/**
 * One answer being written, from its order to its settled bill. It outlives the request that ordered it, feeds any number of readers, and
 * ends in exactly one way: whoever claims the ending first writes it, and one guarded D1 batch makes it known.
 * Everything after the claim may be repeated, so a crash at any point is answered by the alarm. One before the order is stored, of which
 * nobody has seen a word, is answered by whoever ordered: the answer begins anew, and then stores first.
 */
import { generationHeartbeatMs, segmentFlushMs } from '../contract/limits.ts'
import type { StreamChunk } from '../contract/message-stream.ts'
import type { Ending } from '../contract/messages.ts'
import type { OrderFailure, TurnOrder } from '../contract/turn.ts'
import { noAnswer } from '../db/errors.ts'
import { readAccountOf } from '../db/hand-over.ts'
import { type EndedTurn, endTurn, readOpenTurn } from '../db/turn-endings.ts'
import { type Env, mustSettings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { within } from '../lib/within.ts'
import { notify } from '../sync/notify.ts'
import { type AlarmTask, alarmTask, settleBackoffMs, settlePatienceMs } from './alarm.ts'
import { Answer, type AnswerPlace } from './answer.ts'
import type { AskingLine } from './asking-line.ts'
import { attachFiles, filesOfPerson } from './attached-files.ts'
import { findBetterTitle } from './better-title.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { type Failure, failure } from './failures.ts'
import { turnEnding } from './finalize.ts'
import { fileKeeper } from './keep-file.ts'
import { askingMs, type LiveRun, startRun } from './live-run.ts'
import { type ConnectedModel, connectModel } from './models/language-model.ts'
import { keptParts, takenUp } from './research/journal.ts'
import type { Outcome } from './run.ts'
import type { ConnectionGate } from './tools/connection-gate.ts'
import { startOf, type TurnState, turnOf, turnWithoutOrder } from './turn-state.ts'
import { turnWork, type WorkOrder, type WorkPlace } from './turn-work.ts'

export type WritingPlace = AnswerPlace & {
  readonly env: () => Env
  readonly connections: ConnectionGate
  readonly titleConnections: ConnectionGate
  readonly asking: AskingLine
  /** The object will be woken then, or sooner. */
  readonly ringBy: (atMs: number) => Promise<void>
  /** Whoever waits for this answer may read it. */
  readonly isReadable: () => void
  /** Nothing is left to do but to be read for a while. */
  readonly isSettled: (generationId: string, settledAtMs: number) => Promise<void>
}

/** Ours: whoever reads from the first word on comes with the order, or when its thread has been told to them. */
const besideMs = 10_000

export class Writing {
  readonly #generationId: string
  readonly #place: WritingPlace
  readonly #answer: Answer
  /** The model call, while it runs in this very object; a `running` answer without it was left by one that died. */
  #run: LiveRun | null = null
  /** Lasts until the order is stored. */
  #beginning: Promise<void> | null = null
  /** At most one attempt at a time to write the ending to D1; one that hangs is given up, and does no harm when it is late. */
  #settling: Promise<void> | null = null
  #retryAtMs: number | null = null
  /** Who was connected when the order came. Kept nowhere: whoever comes later is looked up. */
  #beside: { readonly sessions: ReadonlySet<string>; readonly untilMs: number } | null = null
  /** Those under way, as whoever makes them counts. */
  calls = 0

  constructor(generationId: string, place: WritingPlace) {
    this.#generationId = generationId
    this.#place = place
    this.#answer = new Answer(generationId, place)
  }

  get state(): TurnState {
    return this.#answer.state
  }

  /** There is something left to do. */
  get isOpen(): boolean {
    return this.state.phase === 'running' || this.state.phase === 'ended'
  }

  /** When all that is left to do is to ask the record again. */
  get retryAtMs(): number | null {
    return this.#retryAtMs
  }

  isOf(userId: string, threadId?: string): boolean {
    return this.#answer.isOf(userId, threadId)
  }

  /**
   * Whether a session needs no look into the record to read this answer: its socket, which ends with the session, was there a moment ago.
   * Whoever came then and was signed out since would read on, too.
   */
  wasOrderedBeside(sessionId: string, nowMs: number): boolean {
    return this.#beside !== null && nowMs < this.#beside.untilMs && this.#beside.sessions.has(sessionId)
  }

  async ensure(order: TurnOrder): Promise<void> {
    if (this.state.phase !== 'absent') return this.#sealIfLost()
    this.#beside = { sessions: new Set(order.sessions), untilMs: Date.now() + besideMs }
    this.#beginning = this.#begin(order).finally(() => (this.#beginning = null))
    return this.#beginning
  }

  async stop(userId: string): Promise<void> {
    await this.#adopt(userId)
    await this.learnOwner(userId)
    if (this.isOf(userId)) this.#end('stopped', null)
  }

  /** What D1 still calls open long after it began either runs here or ends now. `reason`: for one that was never ordered here. */
  async recover(userId: string, reason?: OrderFailure): Promise<void> {
    const isAdopted = await this.#adopt(userId)
    if (isAdopted && reason) this.#end('failed', failure(reason))
    await this.#sealIfLost()
  }

  /** The guest who asked may have become an account since; the record knows. */
  async learnOwner(userId: string): Promise<void> {
    const { state } = this
    if (state.phase === 'absent' || state.turn.userId === userId) return
    if ((await readAccountOf(this.#env, state.turn.userId)) === userId) this.#answer.handOver(userId)
  }

  /** Events after chunk `after`, for one reader. */
  read(after: number): ReadableStream<Uint8Array> {
    this.#takeUpIfLost()
    return this.#answer.read(after)
  }

  taskAt(nowMs: number): AlarmTask {
    return alarmTask(this.state, this.#run?.sinceMs ?? null, nowMs)
  }

  async perform(task: AlarmTask): Promise<void> {
    if (task === 'watch' || task === 'none') return
    if (task === 'cut') this.#cut()
    this.#takeUpIfLost()
    await this.#settle()
  }

  /** The object is about to end. */
  silence(): void {
    this.#run?.stop()
  }

  get #env(): Env {
    return this.#place.env()
  }

  async #begin(order: TurnOrder): Promise<void> {
    const { later } = this.#place
    const files = attachFiles(order.model, filesOfPerson(this.#env, order.userId))
    const connected = connectModel(mustSettings(this.#env), order.model, files.slots)
    const turn = turnOf(order, connected?.demo ?? false, Date.now())
    const parts = order.mode === 'research' ? keptParts(order.continued ?? []) : (order.continued ?? [])
    const writer = this.#newWriter(order.userId)
    // What is sent waits for what was written before: the vendor is asked first, and its words wait. With tools it is not, because their
    // searches cost, and are not made twice.
    const storing = order.isFirst && turn.mode === 'chat' ? 'soon' : 'now'
    this.#answer.begin(turn, [startOf(turn), ...writer.repeat(parts)], storing)
    // An earlier order may have died of what follows. Should this one, too, it is found stored, and not begun again.
    if (!order.isFirst) await this.#place.storage.sync()
    if (this.state.phase === 'running') this.#start(order, connected, { parts, files }, writer)
    if (connected?.titleModel) findBetterTitle(this.#env, turn, connected.titleModel, order.history, this.#place.titleConnections)
    this.#place.isReadable()
    if (storing === 'now') return this.#ringWhileWriting()
    later(segmentFlushMs, () => this.#watch())
    await new Promise<void>((resolve) => later(askingMs, resolve))
    this.#answer.store()
  }

  #start(order: WorkOrder, connected: ConnectedModel | null, means: Omit<WorkPlace, 'emit' | 'connections'>, writer: ChunkWriter): void {
    const emit = (chunk: StreamChunk) => this.#write(chunk)
    const settings = mustSettings(this.#env)
    const work = connected
      ? turnWork(order, connected, settings, { ...means, emit, connections: this.#place.connections })
      : failure('not_configured')
    if (typeof work !== 'function') this.#end('failed', work)
    else {
      const finished = (outcome: Outcome) => this.#finished(outcome)
      const { asking, later } = this.#place
      this.#run = startRun(work, writer, { finished, later, nowMs: Date.now, silenceMs: settings.modelSilenceMs, asking })
    }
  }

  /** Takes over a turn whose order never arrived here, from what D1 knows of it. False when there is none. */
  async #adopt(userId: string): Promise<boolean> {
    if (this.state.phase !== 'absent') return false
    const open = await readOpenTurn(this.#env, userId, this.#generationId)
    if (!open || this.state.phase !== 'absent') return false
    this.#answer.begin(turnWithoutOrder(open, Date.now()), [], 'now')
    this.#place.isReadable()
    await this.#ringWhileWriting()
    return true
  }

  #newWriter(userId: string): ChunkWriter {
    const keep = fileKeeper(this.#env, { userId, generationId: this.#generationId })
    return new ChunkWriter((chunk) => this.#write(chunk), Date.now, keep)
  }

  #write(chunk: StreamChunk): void {
    if (this.#answer.write(chunk)) return
    this.#end('failed', failure(chunk.type === 'file' ? 'made_file_too_large' : 'answer_too_long'))
  }

  #finished(outcome: Outcome): void {
    const { state } = this
    if (state.phase !== 'running') return
    if (outcome.ending === 'failed') {
      const { generationId, model } = state.turn
      logger.error('generation_failed', outcome.error, { generationId, modelId: model.id, code: outcome.failure.code })
    }
    this.#end(outcome.ending, outcome.ending === 'failed' ? outcome.failure : null)
  }

  /** Claims the ending; the first claim counts. The model is silenced before anything else is done. */
  #end(ending: Ending, reason: Failure | null): void {
    if (this.state.phase !== 'running') return
    this.#run?.stop()
    this.#run?.writer.finishStep()
    this.#answer.end(ending, reason, Date.now())
    this.#watch()
    void this.#settle()
  }

  #settle(): Promise<void> {
    this.#settling ??= this.#writeEnding().finally(() => (this.#settling = null))
    return this.#settling
  }

  /** Never throws: what went wrong is tried again by the alarm. */
  async #writeEnding(): Promise<void> {
    const { state } = this
    if (state.phase !== 'ended') return
    const { turn, ended, attempts } = state
    const { generationId, userId } = turn
    let written: EndedTurn | null = null
    this.#retryAtMs = null
    try {
      const ending = turnEnding(turn, ended, this.#answer.chunks(), turn.title)
      written = await within(settlePatienceMs, endTurn(this.#env, ending), noAnswer)
      const nowMs = Date.now()
      this.#answer.settled(nowMs)
      await this.#place.isSettled(generationId, nowMs)
    } catch (error) {
      logger.error('settling_failed', error, { generationId, attempts })
      this.#answer.settlingFailed()
      this.#retryAtMs = Date.now() + settleBackoffMs(attempts)
      await this.#place.ringBy(this.#retryAtMs)
      return
    }
    await notify(this.#env, [written?.userId ?? userId], written?.isFollowed ? 'queue' : 'rows')
  }

  async #sealIfLost(): Promise<void> {
    await this.#beginning
    this.#takeUpIfLost()
    await this.#settle()
  }

  /** Whoever was writing is gone. A research goes on from what is stored, if that has left it room; everything else has ended. */
  #takeUpIfLost(): void {
    const { state } = this
    if (state.phase !== 'running' || this.#run !== null || this.#beginning !== null) return
    const { research, generationId, userId } = state.turn
    const found = research ? takenUp(this.#answer.chunks()) : null
    if (!research || !found) {
      this.#end('interrupted', null)
      return
    }
    const writer = this.#newWriter(userId)
    writer.repeat(found)
    this.#write({ type: 'start', messageId: generationId })
    if (this.state.phase !== 'running') return
    const files = attachFiles(research.model, filesOfPerson(this.#env, userId))
    this.#start(research, connectModel(mustSettings(this.#env), research.model, files.slots), { parts: found, files }, writer)
    this.#watch()
  }

  /** A research is taken up again right away, in a call of its own. */
  #cut(): void {
    const { state } = this
    if (state.phase !== 'running') return
    if (state.turn.research) {
      this.#run?.stop()
      this.#run = null
    } else this.#end('interrupted', failure('answer_too_slow'))
  }

  #ringWhileWriting(): Promise<void> {
    return this.#place.ringBy(Date.now() + generationHeartbeatMs)
  }

  #watch(): void {
    if (this.isOpen) this.#ringWhileWriting().catch((error: unknown) => this.#place.lost(error))
  }
}
