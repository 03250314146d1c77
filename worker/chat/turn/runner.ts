/**
 * Runs one turn from the start command to the settled credits. It outlives the request, serves any number of stream readers and has exactly
 * one ending: the first one wins and a guarded D1 batch records it. Later steps are idempotent; after a crash the alarm repeats
 * them. The start command is stored before the first request is sent, so only a research repeats requests after a crash.
 */
import type { Env } from '../../bindings.ts'
import { generationHeartbeatMs, logRetentionMs, searchesPerDay } from '../../contract/limits.ts'
import type { ModelRequest } from '../../contract/models/model-use.ts'
import type { StreamChunk } from '../../contract/threads/message-stream.ts'
import type { Ending } from '../../contract/threads/messages.ts'
import type { GenerationInput, StartFailure, StartTurn } from '../../contract/threads/turn.ts'
import { readAccountOf } from '../../db/current-owner.ts'
import { noAnswer } from '../../db/errors.ts'
import { readersOf, type ServerOwner } from '../../db/tool-servers.ts'
import { type EndedTurn, endTurn } from '../../db/turn-endings.ts'
import { chargeSearch, readOpenTurn } from '../../db/turns.ts'
import { logger } from '../../lib/logger.ts'
import { withTimeout } from '../../lib/with-timeout.ts'
import { mustSettings } from '../../settings.ts'
import { modelTelemetry, record } from '../../telemetry/record.ts'
import { notify } from '../../user-sync/rpc.ts'
import type { Outcome, RunHost } from '../model/call.ts'
import { type Failure, failure } from '../model/failures.ts'
import { type AttachedFiles, attachFiles, filesOfUser } from '../model/files.ts'
import { madeFileStore } from '../model/made-files.ts'
import { type AttributedTurn, attribution } from '../model/middleware.ts'
import { type ConnectedModel, connectModel } from '../model/providers.ts'
import { withRefusedFiles } from '../model/refused-files.ts'
import { Spending } from '../model/spending.ts'
import { fileTokensIn } from '../model/tool-tokens.ts'
import { answeredRequest, newRequest, type ReportedUsage } from '../model/usage.ts'
import { resumedParts, successfulParts } from '../research/research-log.ts'
import { askedAgain, type MarkCalled } from '../tools/decided-calls.ts'
import { serverEgress } from '../tools/mcp/egress.ts'
import { ToolFailure } from '../tools/tool-failure.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { findMemories, mayReadForFacts } from './find-memories.ts'
import { type GenerationContext, generationFor, type RunningGeneration, startGeneration } from './generation.ts'
import type { RegisteredReader } from './resumable-stream.ts'
import { leftMicroDollars, turnEnding } from './settlement.ts'
import { StoredTurn, type StoredTurnHost } from './stored-turn.ts'
import { type SummarizedHistory, summarizedHistory } from './summary.ts'
import { findBetterTitle } from './title.ts'
import { alarmTask, newTurn, settleBackoffMs, settleTimeoutMs, startOf, type TurnState, turnWithoutCommand } from './turn-state.ts'

type RunnerHost = Omit<StoredTurnHost, 'full' | 'nowMs'> & {
  readonly env: () => Env
  /** Replaces the alarm of the object. */
  readonly setAlarm: (atMs: number) => Promise<void>
  readonly waitUntil: (work: Promise<unknown>) => void
  /** Waiting readers may read the answer now. */
  readonly isReadable: () => void
}

const noSearchLeft = 'No search is left today.'

/** Chosen: most readers arrive with the start command, or with the poke that shows its thread. */
const initialSessionsRetentionMs = 10_000

/** Chosen: later than any running attempt ends (find-memories.ts). */
const readingRetryMs = 60_000

export class TurnRunner {
  readonly #host: RunnerHost
  readonly #turn: StoredTurn
  /** The model call in this object. A `running` answer without it belongs to an earlier instance of the object that ended. */
  #generation: RunningGeneration | null = null
  /** Resolves when the start command is stored. */
  #beginning: Promise<void> | null = null
  /** The current attempt to write the ending to D1. An attempt that takes too long is abandoned; if it succeeds later, it changes nothing. */
  #settling: Promise<void> | null = null
  /** The current attempt to read the question for facts. */
  #reading: Promise<void> | null = null
  /** The sessions that were connected when the start command arrived. Not stored: later sessions are looked up in D1. */
  #initialSessions: { readonly sessions: ReadonlySet<string>; readonly untilMs: number } | null = null

  constructor(host: RunnerHost) {
    this.#host = host
    this.#turn = new StoredTurn({ ...host, nowMs: Date.now, full: (chunk) => this.#endFull(chunk) })
  }

  get state(): TurnState {
    return this.#turn.state
  }

  /** True until the turn is settled. */
  get isOpen(): boolean {
    return this.state.phase === 'running' || this.state.phase === 'ended'
  }

  isOf(userId: string, threadId?: string): boolean {
    return this.#turn.isOf(userId, threadId)
  }

  /** True when the session had a socket as the turn started, at most `initialSessionsRetentionMs` ago. Such a reader is accepted without a D1 read. */
  wasInitialSession(sessionId: string, nowMs: number): boolean {
    return this.#initialSessions !== null && nowMs < this.#initialSessions.untilMs && this.#initialSessions.sessions.has(sessionId)
  }

  async start(command: StartTurn): Promise<void> {
    if (this.state.phase !== 'absent') return this.#settleIfLost()
    this.#initialSessions = { sessions: new Set(command.sessions), untilMs: Date.now() + initialSessionsRetentionMs }
    this.#beginning = this.#begin(command).finally(() => (this.#beginning = null))
    return this.#beginning
  }

  async stop(generationId: string, userId: string): Promise<void> {
    await this.#adopt(generationId, userId)
    await this.learnOwner(userId)
    if (this.isOf(userId)) this.#end('stopped', null)
  }

  /** Ends a turn that D1 lists as open for too long, unless it runs here. `reason` is for a turn whose start command never arrived. */
  async recover(generationId: string, userId: string, reason?: StartFailure): Promise<void> {
    const isAdopted = await this.#adopt(generationId, userId)
    if (isAdopted && reason) this.#end('failed', failure(reason))
    await this.#settleIfLost()
  }

  /** Reads the owner from D1, because the guest may have become an account. */
  async learnOwner(userId: string): Promise<void> {
    const { state } = this
    if (state.phase === 'absent' || state.turn.userId === userId) return
    if ((await readAccountOf(this.#env, state.turn.userId)) === userId) this.#turn.changeOwner(userId)
  }

  /** Events after chunk `after`, for one reader. */
  read(after: number, reader?: RegisteredReader): ReadableStream<Uint8Array> {
    this.#resumeIfLost()
    return this.#turn.read(after, reader)
  }

  /** The work of the alarm. */
  async perform(nowMs: number): Promise<void> {
    const task = alarmTask(this.state, this.#generation?.startedAtMs ?? null, nowMs)
    if (task === 'wait' || task === 'none') return
    if (task === 'end-overdue') this.#endOverdue()
    this.#resumeIfLost()
    await this.#settle()
  }

  /** Stops the model call without an ending, because the object is about to end. */
  abort(): void {
    this.#generation?.stop()
  }

  get #env(): Env {
    return this.#host.env()
  }

  async #begin(command: StartTurn): Promise<void> {
    const files = attachFiles(command, filesOfUser(this.#env, command.userId))
    const connected = this.#connect(command, files)
    const turn = newTurn(command, connected?.demo ?? false, Date.now(), mustSettings(this.#env).creditMicroDollars)
    const parts = command.mode === 'research' ? successfulParts(command.continued ?? []) : (command.continued ?? [])
    const writer = this.#newWriter(turn)

    await this.#turn.begin(turn, [startOf(turn), ...writer.repeat(parts)])
    const findTitle = () => connected && findBetterTitle(this.#env, turn, connected.small(), command)
    const onCompleted = command.isCompared ? findTitle : undefined
    const summarize = (host: RunHost) => this.#summarize(command, connected, host)
    const decisions = command.decided && { calls: command.decided, markCalled: this.#markCalled }
    const context = { parts, decisions, files, summarize }
    if (this.state.phase === 'running') this.#generate(command, connected, context, writer, onCompleted)
    if (!command.isCompared) findTitle()
    this.#host.isReadable()
    return this.#setHeartbeat()
  }

  #connect(command: AttributedTurn & Pick<StartTurn, 'model'>, { slots }: AttachedFiles): ConnectedModel | null {
    const settings = mustSettings(this.#env)
    return connectModel(settings, command.model, slots, attribution(settings.authSecret, command))
  }

  /** What replaces the history, if it lacks a summary and one could be written. */
  async #summarize(command: StartTurn, connected: ConnectedModel | null, host: RunHost): Promise<SummarizedHistory | null> {
    const { toSummarize } = command
    if (!connected || !toSummarize) return null
    const addRequest = (request: ModelRequest) => this.#turn.addRequest(request)
    const written = await summarizedHistory(this.#env, { ...command, toSummarize }, connected.small(), { host, addRequest })
    if (!written) this.#turn.historyCut()
    return written
  }

  #generate(
    input: GenerationInput,
    connected: ConnectedModel | null,
    context: Omit<GenerationContext, 'emit'>,
    writer: ChunkWriter,
    onCompleted?: () => void,
  ): void {
    const settings = mustSettings(this.#env)
    const generation = connected
      ? generationFor(input, connected, settings, {
          ...context,
          emit: this.#turn.write,
          onSearch: this.#chargeSearch(input),
          servers: this.#servers(input),
        })
      : failure('not_configured')
    if (typeof generation !== 'function') this.#end('failed', generation)
    else {
      const onOutcome = (outcome: Outcome) => {
        this.#finished(withRefusedFiles(outcome, input, context.files.sentIds))
        if (outcome.ending === 'completed') onCompleted?.()
      }
      const onRequest = () => this.#turn.requestSent()
      // The demo model costs nothing.
      const spending = connected?.demo ? null : this.#spending(input)
      const onResponse = connected?.demo ? {} : { onResponse: () => this.#addRequest(input, spending) }
      this.#generation = startGeneration(generation, writer, {
        onOutcome,
        nowMs: Date.now,
        onRequest,
        telemetry: () => modelTelemetry(settings),
        spending,
        ...onResponse,
      })
    }
  }

  /** Takes over a turn whose start command never arrived, with the data that D1 has. False if D1 has no open turn. */
  async #adopt(generationId: string, userId: string): Promise<boolean> {
    if (this.state.phase !== 'absent') return false
    const open = await readOpenTurn(this.#env, userId, generationId)
    if (!open || this.state.phase !== 'absent') return false
    // Its decided calls were not made. The answer keeps them.
    await this.#turn.begin(turnWithoutCommand(open, Date.now()), this.#newWriter(open).repeat(open.continued ?? []))
    this.#host.isReadable()
    await this.#setHeartbeat()
    return true
  }

  #newWriter({ userId, generationId }: Pick<StartTurn, 'userId' | 'generationId'>): ChunkWriter {
    const storeFile = madeFileStore(this.#env, { userId, generationId })
    return new ChunkWriter(this.#turn.write, Date.now, storeFile)
  }

  #addRequest({ model, fallbacks }: Pick<StartTurn, 'model' | 'fallbacks'>, spending: Spending | null): (reported: ReportedUsage) => void {
    const record = this.#turn.addRequest(newRequest(model))
    return (reported) => {
      const request = answeredRequest(reported, model, fallbacks)
      record(request)
      spending?.answered(request.microDollars)
    }
  }

  /** The credits that the turn reserved, without what it used before a restart. */
  #spending({ model, effort, history }: GenerationInput): Spending | null {
    const { state } = this
    if (state.phase !== 'running' || !state.turn.price) return null
    const microDollars = leftMicroDollars(state.turn, state.turn.price, this.#turn.chunks())
    return Spending.of({ model, effort, microDollars, fileTokens: fileTokensIn(history) })
  }

  /** Returns what charges the turn's search, once. A failed attempt may be repeated. */
  #chargeSearch({ plan }: Pick<StartTurn, 'plan'>): () => Promise<void> {
    let charge: Promise<void> | null = null
    const attempt = async () => {
      const { state } = this
      if (state.phase === 'absent') return
      const charged = chargeSearch(this.#env, { ...state.turn, searchLimit: searchesPerDay[plan], nowMs: Date.now() })
      const outcome = await withTimeout(settleTimeoutMs, charged, noAnswer)
      if (outcome === 'none_left') throw new ToolFailure('searches_of_day', noSearchLeft)
      if (outcome !== 'charged') throw new ToolFailure('answer_ended', 'The answer has ended.')
    }
    return () => {
      charge ??= attempt().catch((error: unknown) => {
        charge = null
        throw error
      })
      return charge
    }
  }

  /**
   * Stores that the call leaves now. False if the call must not be made: it was made before, or the turn has ended in D1, as when a start command
   * arrives after the object was emptied.
   */
  readonly #markCalled: MarkCalled = async (toolCallId) => {
    const { state } = this
    if (state.phase !== 'running') return false
    const { userId, generationId } = state.turn
    const isFirst = state.turn.called === undefined
    if (isFirst && (await readOpenTurn(this.#env, userId, generationId)) === null) return false
    return this.#turn.markCalled(toolCallId)
  }

  /** Reads the servers when the model is called: their definitions are too large for the command. */
  #servers({ toolServerIds = [], model }: Pick<GenerationInput, 'toolServerIds' | 'model'>): GenerationContext['servers'] {
    if (toolServerIds.length === 0) return undefined
    return async () => {
      const { state } = this
      if (state.phase === 'absent') return []
      const { userId } = state.turn
      const { authSecret, environment } = mustSettings(this.#env)
      const context = {
        ...{ env: this.#env, authSecret, userId, nowMs: Date.now },
        egress: serverEgress(this.#env.PUBLIC_INTERNET, environment),
        hasImages: model.capabilities?.includes('vision') ?? false,
        onChange: async (owner: ServerOwner) => notify(this.#env, await readersOf(this.#env, owner)),
      }
      return (await import('../tools/mcp/server-source.ts')).serverSources(context, toolServerIds)
    }
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

  /** Only the first ending counts. Stops the model call before anything else. */
  #end(ending: Ending, reason: Failure | null): void {
    if (this.state.phase !== 'running') return
    this.#generation?.stop()
    this.#generation?.writer.finishStep()
    this.#turn.end(ending, reason, Date.now())
    this.#record(ending, reason)
    this.#scheduleHeartbeat()
    void this.#settle()
  }

  #record(ending: Ending, reason: Failure | null): void {
    const begunMs = this.#generation?.startedAtMs
    if (begunMs === undefined || this.state.phase !== 'ended') return
    const { model, mode } = this.state.turn
    record(mustSettings(this.#env), this.#host.waitUntil, {
      ...{ kind: 'parley.turn', name: 'turn', begunMs, endedMs: Date.now() },
      attributes: { 'parley.mode': mode, 'parley.ending': ending, 'gen_ai.request.model': model.id },
      error: reason?.code,
    })
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
      const ending = turnEnding(turn, ended, this.#turn.chunks(), turn.title)
      written = await withTimeout(settleTimeoutMs, endTurn(this.#env, ending), noAnswer)
      const nowMs = Date.now()
      this.#turn.settled(nowMs)
      await this.#host.setAlarm(nowMs + (this.isReading ? readingRetryMs : logRetentionMs))
    } catch (error) {
      logger.error('settling_failed', error, { generationId, attempts })
      this.#turn.settlingFailed()
      await this.#host.setAlarm(Date.now() + settleBackoffMs(attempts))
      return
    }
    await notify(this.#env, [written?.userId ?? userId], written?.mayStartQueued ? 'queue' : 'rows')
    void this.readForMemory()
  }

  /** True while the question of a settled turn is to be read for facts. */
  get isReading(): boolean {
    const { state } = this
    return state.phase === 'settled' && state.ended.ending === 'completed' && state.turn.reading !== undefined
  }

  /** Never throws. After a crash the alarm repeats it. */
  readForMemory(): Promise<void> {
    this.#reading ??= this.#readForMemory().finally(() => (this.#reading = null))
    return this.#reading
  }

  async #readForMemory(): Promise<void> {
    const { state } = this
    if (state.phase !== 'settled' || !this.isReading || !state.turn.reading) return
    const { turn } = state
    const { reading } = state.turn
    try {
      const settings = mustSettings(this.#env)
      const author = attribution(settings.authSecret, { ...turn, plan: reading.plan })
      const connected = connectModel(settings, reading.model, new Map(), author)
      const small = connected?.small()
      if (small && mayReadForFacts(small)) await findMemories(this.#env, turn, reading, small)
      this.#turn.memoryRead()
    } catch (error) {
      logger.error('memory_failed', error, { generationId: turn.generationId })
    }
  }

  async #settleIfLost(): Promise<void> {
    await this.#beginning
    this.#resumeIfLost()
    await this.#settle()
  }

  /**
   * The object restarted during the turn. A research continues from its stored parts if they leave enough space. A turn with decided calls that
   * have no result asks for them again. Any other turn ends.
   */
  #resumeIfLost(): void {
    const { state } = this
    if (state.phase !== 'running' || this.#generation !== null || this.#beginning !== null) return
    const asked = askedAgain(state.turn, this.#turn.chunks())
    if (asked !== null) {
      for (const chunk of asked) this.#turn.write(chunk)
      this.#end('completed', null)
      return
    }
    const { research, generationId, userId } = state.turn
    const parts = research ? resumedParts(this.#turn.chunks()) : null
    if (!research || !parts) {
      this.#end('interrupted', null)
      return
    }
    const writer = this.#newWriter(state.turn)
    writer.repeat(parts)
    this.#turn.write({ type: 'start', messageId: generationId })
    if (this.state.phase !== 'running') return
    const files = attachFiles(research, filesOfUser(this.#env, userId))
    this.#generate(research, this.#connect({ ...research, userId }, files), { parts, files }, writer)
    this.#scheduleHeartbeat()
  }

  /** A research is stopped and resumed at once, as after a restart. */
  #endOverdue(): void {
    const { state } = this
    if (state.phase !== 'running') return
    if (state.turn.research) {
      this.#generation?.stop()
      this.#generation = null
    } else this.#end('interrupted', failure('answer_too_slow'))
  }

  #setHeartbeat(): Promise<void> {
    return this.#host.setAlarm(Date.now() + generationHeartbeatMs)
  }

  #scheduleHeartbeat(): void {
    if (this.isOpen) this.#setHeartbeat().catch((error: unknown) => this.#host.lost(error))
  }
}
