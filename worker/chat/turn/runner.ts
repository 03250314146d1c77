/**
 * Runs one assistant turn from the order to the settled credits. It outlives the request, serves any number of stream readers and has exactly
 * one ending: the first claim wins and a guarded D1 batch records it. Steps after the claim are idempotent; after a crash the alarm repeats
 * them. The order is stored before the first request is sent, so no question is asked twice.
 */
import type { Env } from '../../bindings.ts'
import { generationHeartbeatMs, logKeptMs } from '../../contract/limits.ts'
import type { StreamChunk } from '../../contract/message-stream.ts'
import type { Ending } from '../../contract/messages.ts'
import type { OrderFailure, TurnOrder } from '../../contract/turn.ts'
import { readAccountOf } from '../../db/current-owner.ts'
import { noAnswer } from '../../db/errors.ts'
import { type EndedTurn, endTurn, readOpenTurn } from '../../db/turn-endings.ts'
import { logger } from '../../lib/logger.ts'
import { within } from '../../lib/within.ts'
import { mustSettings } from '../../settings.ts'
import { notify } from '../../user-sync/rpc.ts'
import { type Attributed, attribution } from '../model/attribution.ts'
import type { Outcome } from '../model/call.ts'
import { type Failure, failure } from '../model/failures.ts'
import { type AttachedFiles, attachFiles, filesOfPerson } from '../model/files.ts'
import { fileKeeper } from '../model/made-files.ts'
import { type ConnectedModel, connectModel } from '../model/providers.ts'
import { answeredRequest, newRequest, type ReportedUsage } from '../model/usage.ts'
import { keptParts, takenUp } from '../research/journal.ts'
import { Answer, type AnswerHost } from './answer.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { type LiveRun, startRun, type WorkOrder } from './live-run.ts'
import type { AdmittedReader } from './open-readers.ts'
import { turnEnding } from './settlement.ts'
import { alarmTask, settleBackoffMs, settlePatienceMs, startOf, type TurnState, turnOf, turnWithoutOrder } from './store.ts'
import { findBetterTitle } from './title.ts'
import { turnWork, type WorkPlace } from './turn-work.ts'

export type RunnerHost = Omit<AnswerHost, 'full' | 'nowMs'> & {
  readonly env: () => Env
  /** Replaces the alarm of the object. */
  readonly setAlarm: (atMs: number) => Promise<void>
  /** Waiting readers may read the answer now. */
  readonly isReadable: () => void
}

/** Chosen: most readers arrive with the order, or with the poke that shows its thread. */
const initialSessionsKeptMs = 10_000

export class TurnRunner {
  readonly #host: RunnerHost
  readonly #answer: Answer
  /** The model call in this object. A `running` answer without it belongs to an earlier instance of the object that ended. */
  #run: LiveRun | null = null
  /** Resolves when the order is stored. */
  #beginning: Promise<void> | null = null
  /** The current attempt to write the ending to D1. An attempt that takes too long is abandoned; if it succeeds later, it changes nothing. */
  #settling: Promise<void> | null = null
  /** The sessions that were connected when the order arrived. Not stored: later sessions are looked up in D1. */
  #initialSessions: { readonly sessions: ReadonlySet<string>; readonly untilMs: number } | null = null

  constructor(host: RunnerHost) {
    this.#host = host
    this.#answer = new Answer({ ...host, nowMs: Date.now, full: (chunk) => this.#endFull(chunk) })
  }

  get state(): TurnState {
    return this.#answer.state
  }

  /** True until the turn is settled. */
  get isOpen(): boolean {
    return this.state.phase === 'running' || this.state.phase === 'ended'
  }

  isOf(userId: string, threadId?: string): boolean {
    return this.#answer.isOf(userId, threadId)
  }

  /** True when the session had a socket as the turn started, at most `initialSessionsKeptMs` ago. Such a reader is admitted without a D1 read. */
  wasInitialSession(sessionId: string, nowMs: number): boolean {
    return this.#initialSessions !== null && nowMs < this.#initialSessions.untilMs && this.#initialSessions.sessions.has(sessionId)
  }

  async ensure(order: TurnOrder): Promise<void> {
    if (this.state.phase !== 'absent') return this.#sealIfLost()
    this.#initialSessions = { sessions: new Set(order.sessions), untilMs: Date.now() + initialSessionsKeptMs }
    this.#beginning = this.#begin(order).finally(() => (this.#beginning = null))
    return this.#beginning
  }

  async stop(generationId: string, userId: string): Promise<void> {
    await this.#adopt(generationId, userId)
    await this.learnOwner(userId)
    if (this.isOf(userId)) this.#end('stopped', null)
  }

  /** Ends a turn that D1 lists as open for too long, unless it runs here. `reason` is for a turn whose order never arrived. */
  async recover(generationId: string, userId: string, reason?: OrderFailure): Promise<void> {
    const isAdopted = await this.#adopt(generationId, userId)
    if (isAdopted && reason) this.#end('failed', failure(reason))
    await this.#sealIfLost()
  }

  /** Reads the owner from D1, because the guest may have become an account. */
  async learnOwner(userId: string): Promise<void> {
    const { state } = this
    if (state.phase === 'absent' || state.turn.userId === userId) return
    if ((await readAccountOf(this.#env, state.turn.userId)) === userId) this.#answer.handOver(userId)
  }

  /** Events after chunk `after`, for one reader. */
  read(after: number, reader?: AdmittedReader): ReadableStream<Uint8Array> {
    this.#takeUpIfLost()
    return this.#answer.read(after, reader)
  }

  /** The work of the alarm. */
  async perform(nowMs: number): Promise<void> {
    const task = alarmTask(this.state, this.#run?.sinceMs ?? null, nowMs)
    if (task === 'watch' || task === 'none') return
    if (task === 'cut') this.#cut()
    this.#takeUpIfLost()
    await this.#settle()
  }

  /** Stops the call without an ending, because the object is about to end. */
  silence(): void {
    this.#run?.stop()
  }

  get #env(): Env {
    return this.#host.env()
  }

  async #begin(order: TurnOrder): Promise<void> {
    const files = attachFiles(order.model, filesOfPerson(this.#env, order.userId))
    const connected = this.#connect(order, files)
    const turn = turnOf(order, connected?.demo ?? false, Date.now())
    const parts = order.mode === 'research' ? keptParts(order.continued ?? []) : (order.continued ?? [])
    const writer = this.#newWriter(turn)
    // Stored before the model is asked, so that no crash can have the question asked twice.
    await this.#answer.begin(turn, [startOf(turn), ...writer.repeat(parts)])
    if (this.state.phase === 'running') this.#start(order, connected, { parts, files }, writer)
    if (connected?.title) findBetterTitle(this.#env, turn, connected.title, order.history)
    this.#host.isReadable()
    return this.#setHeartbeat()
  }

  #connect(order: Attributed & Pick<TurnOrder, 'model'>, { slots }: AttachedFiles): ConnectedModel | null {
    const settings = mustSettings(this.#env)
    return connectModel(settings, order.model, slots, attribution(settings.authSecret, order))
  }

  #start(order: WorkOrder, connected: ConnectedModel | null, means: Omit<WorkPlace, 'emit'>, writer: ChunkWriter): void {
    const settings = mustSettings(this.#env)
    const work = connected ? turnWork(order, connected, settings, { ...means, emit: this.#answer.write }) : failure('not_configured')
    if (typeof work !== 'function') this.#end('failed', work)
    else {
      const finished = (outcome: Outcome) => this.#finished(outcome)
      const onRequest = () => this.#answer.requestSent()
      // The demo model costs nothing.
      const onResponse = connected?.demo ? {} : { onResponse: () => this.#addRequest(order) }
      this.#run = startRun(work, writer, { finished, nowMs: Date.now, onRequest, ...onResponse })
    }
  }

  /** Takes over a turn whose order never arrived, with the data that D1 has. False if D1 has no open turn. */
  async #adopt(generationId: string, userId: string): Promise<boolean> {
    if (this.state.phase !== 'absent') return false
    const open = await readOpenTurn(this.#env, userId, generationId)
    if (!open || this.state.phase !== 'absent') return false
    await this.#answer.begin(turnWithoutOrder(open, Date.now()), [])
    this.#host.isReadable()
    await this.#setHeartbeat()
    return true
  }

  #newWriter({ userId, generationId }: Pick<TurnOrder, 'userId' | 'generationId'>): ChunkWriter {
    const keep = fileKeeper(this.#env, { userId, generationId })
    return new ChunkWriter(this.#answer.write, Date.now, keep)
  }

  #addRequest({ model, fallbacks }: Pick<TurnOrder, 'model' | 'fallbacks'>): (reported: ReportedUsage) => void {
    const record = this.#answer.addRequest(newRequest(model))
    return (reported) => record(answeredRequest(reported, model, fallbacks))
  }

  #endFull(chunk: StreamChunk): void {
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

  /** Claims the ending; only the first claim counts. Stops the model call before anything else. */
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

  /** Never throws. The alarm tries again after a failure. */
  async #writeEnding(): Promise<void> {
    const { state } = this
    if (state.phase !== 'ended') return
    const { turn, ended, attempts } = state
    const { generationId, userId } = turn
    let written: EndedTurn | null = null
    try {
      const ending = turnEnding(turn, ended, this.#answer.chunks(), turn.title)
      written = await within(settlePatienceMs, endTurn(this.#env, ending), noAnswer)
      const nowMs = Date.now()
      this.#answer.settled(nowMs)
      await this.#host.setAlarm(nowMs + logKeptMs)
    } catch (error) {
      logger.error('settling_failed', error, { generationId, attempts })
      this.#answer.settlingFailed()
      await this.#host.setAlarm(Date.now() + settleBackoffMs(attempts))
      return
    }
    await notify(this.#env, [written?.userId ?? userId], written?.mayStartQueued ? 'queue' : 'rows')
  }

  async #sealIfLost(): Promise<void> {
    await this.#beginning
    this.#takeUpIfLost()
    await this.#settle()
  }

  /** The object restarted during the turn. A research continues from its stored parts if there is room; any other turn ends. */
  #takeUpIfLost(): void {
    const { state } = this
    if (state.phase !== 'running' || this.#run !== null || this.#beginning !== null) return
    const { research, generationId, userId } = state.turn
    const found = research ? takenUp(this.#answer.chunks()) : null
    if (!research || !found) {
      this.#end('interrupted', null)
      return
    }
    const writer = this.#newWriter(state.turn)
    writer.repeat(found)
    this.#answer.write({ type: 'start', messageId: generationId })
    if (this.state.phase !== 'running') return
    const files = attachFiles(research.model, filesOfPerson(this.#env, userId))
    this.#start(research, this.#connect({ ...research, userId }, files), { parts: found, files }, writer)
    this.#watch()
  }

  /** A research continues at once, in a separate call. */
  #cut(): void {
    const { state } = this
    if (state.phase !== 'running') return
    if (state.turn.research) {
      this.#run?.stop()
      this.#run = null
    } else this.#end('interrupted', failure('answer_too_slow'))
  }

  #setHeartbeat(): Promise<void> {
    return this.#host.setAlarm(Date.now() + generationHeartbeatMs)
  }

  #watch(): void {
    if (this.isOpen) this.#setHeartbeat().catch((error: unknown) => this.#host.lost(error))
  }
}
