/**
 * The object that writes one answer, named by the id of the answer to come. It outlives the request that ordered it, feeds any number of
 * readers, and ends in exactly one way: whoever claims the ending first writes it, and one guarded D1 batch makes it known.
 * Everything after the claim may be repeated, so a crash at any point is answered by the alarm. One before the order is stored, of which
 * nobody has seen a word, is answered by whoever ordered: the answer begins anew, and then stores first.
 *
 * A shell: what it does is decided in alarm.ts, answer.ts, finalize.ts and turn-work.ts. Budget: 240 lines.
 */
import { DurableObject } from 'cloudflare:workers'
import { segmentFlushMs, streamWaitMs } from '../contract/limits.ts'
import type { StreamChunk } from '../contract/message-stream.ts'
import type { Ending } from '../contract/messages.ts'
import type { GenerationCalls, TurnOrder } from '../contract/turn.ts'
import { readAccountOf } from '../db/hand-over.ts'
import { endTurn, readOpenTurn } from '../db/turn-endings.ts'
import { type Env, mustSettings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../sync/notify.ts'
import { alarmTask, logKeptMs, settleBackoffMs } from './alarm.ts'
import { Answer } from './answer.ts'
import { attachFiles, filesOfPerson } from './attached-files.ts'
import { findBetterTitle } from './better-title.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { type Failure, failure } from './failures.ts'
import { turnEnding } from './finalize.ts'
import { Heartbeat } from './heartbeat.ts'
import { askingMs, type LiveRun, startRun } from './live-run.ts'
import { type ConnectedModel, connectModel } from './models/language-model.ts'
import { keptParts, takenUp } from './research/journal.ts'
import type { Outcome } from './run.ts'
import { later } from './storage.ts'
import { parseStreamRequest, streamResponse } from './stream-request.ts'
import { startOf, turnOf, turnWithoutOrder } from './turn-state.ts'
import { turnWork, type WorkOrder, type WorkPlace } from './turn-work.ts'
import { WaitingRoom } from './waiting-room.ts'

export class Generation extends DurableObject<Env> implements GenerationCalls {
  readonly #answer: Answer
  /** The model call, while it runs in this very object; a `running` answer without it was left by one that died. */
  #run: LiveRun | null = null
  /** Lasts until the order is stored. */
  #beginning: Promise<void> | null = null
  /** At most one attempt at a time to write the ending to D1. */
  #settling: Promise<void> | null = null
  readonly #heartbeat = new Heartbeat(this.ctx.storage)
  readonly #waiting = new WaitingRoom(later)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#answer = new Answer(ctx.storage, later, (error) => this.#lost(error))
  }

  async ensure(order: TurnOrder): Promise<void> {
    if (this.#answer.state.phase !== 'absent') return this.#sealIfLost()
    this.#beginning = this.#begin(order).finally(() => (this.#beginning = null))
    return this.#beginning
  }

  async stop(generationId: string, userId: string): Promise<void> {
    await this.#adopt(generationId, userId)
    await this.#learnOwner(userId)
    if (this.#answer.isOf(userId)) this.#end('stopped', null)
  }

  /** For the tidying job: what D1 still calls open long after it began either runs here or ends now. */
  async recover(generationId: string, userId: string): Promise<void> {
    await this.#adopt(generationId, userId)
    await this.#sealIfLost()
  }

  /** Events for one reader. That an answer is somebody else's takes as long to say as that there is none. */
  override async fetch(request: Request): Promise<Response> {
    const { userId, threadId, after } = parseStreamRequest(request)
    await this.#learnOwner(userId)
    if (!(await this.#waiting.wait(() => this.#answer.isOf(userId, threadId), streamWaitMs))) return new Response(null, { status: 404 })
    this.#takeUpIfLost()
    return streamResponse(this.#answer.read(after))
  }

  override async alarm(): Promise<void> {
    const nowMs = Date.now()
    const next = alarmTask(this.#answer.state, this.#run?.sinceMs ?? null, nowMs)
    if (next.task === 'sleep') return this.ctx.storage.setAlarm(next.atMs)
    if (next.task === 'forget') {
      await this.ctx.storage.deleteAll()
      this.#answer.forgotten()
      this.#heartbeat.forgotten()
      return
    }
    // Before the attempt: should it kill this object, another one follows.
    await this.#heartbeat.beat()
    if (next.task === 'cut') this.#cut()
    this.#takeUpIfLost()
    await this.#settle()
  }

  async #begin(order: TurnOrder): Promise<void> {
    const files = attachFiles(order.model, filesOfPerson(this.env, order.userId))
    const connected = connectModel(mustSettings(this.env), order.model, files.slots)
    const turn = turnOf(order, connected?.demo ?? false, Date.now())
    const parts = order.mode === 'research' ? keptParts(order.continued ?? []) : (order.continued ?? [])
    const writer = new ChunkWriter((chunk) => this.#write(chunk), Date.now)
    // What is sent waits for what was written before, and the first write makes a database: the vendor is asked first, and its words wait.
    // With tools it is not, because their searches cost, and are not made twice.
    const storing = order.isFirst && turn.mode === 'chat' ? 'soon' : 'now'
    this.#answer.begin(turn, [startOf(turn), ...writer.repeat(parts)], storing)
    // An earlier order may have died of what follows. Should this one, too, it is found stored, and not begun again.
    if (!order.isFirst) await this.ctx.storage.sync()
    if (this.#answer.state.phase === 'running') this.#start(order, connected, { parts, files }, writer)
    if (connected?.titleModel) findBetterTitle(this.env, turn, connected.titleModel, order.history)
    this.#waiting.call()
    if (storing === 'now') return this.#heartbeat.begin()
    later(segmentFlushMs, () => this.#watch())
    await new Promise<void>((resolve) => later(askingMs, resolve))
    this.#answer.store()
  }

  #start(order: WorkOrder, connected: ConnectedModel | null, means: Omit<WorkPlace, 'emit'>, writer: ChunkWriter): void {
    const emit = (chunk: StreamChunk) => this.#write(chunk)
    const settings = mustSettings(this.env)
    const work = connected ? turnWork(order, connected, settings, { ...means, emit }) : failure('not_configured')
    if (typeof work !== 'function') this.#end('failed', work)
    else {
      const finished = (outcome: Outcome) => this.#finished(outcome)
      this.#run = startRun(work, writer, { finished, later, nowMs: Date.now, silenceMs: settings.modelSilenceMs })
    }
  }

  /** Takes over a turn whose order never arrived here, from what D1 knows of it. */
  async #adopt(generationId: string, userId: string): Promise<void> {
    if (this.#answer.state.phase !== 'absent') return
    const open = await readOpenTurn(this.env, userId, generationId)
    if (!open || this.#answer.state.phase !== 'absent') return
    this.#answer.begin(turnWithoutOrder(open, Date.now()), [], 'now')
    await this.#heartbeat.beat()
  }

  /** The guest who asked may have become an account since; the record knows. */
  async #learnOwner(userId: string): Promise<void> {
    const { state } = this.#answer
    if (state.phase === 'absent' || state.turn.userId === userId) return
    if ((await readAccountOf(this.env, state.turn.userId)) === userId) this.#answer.handOver(userId)
  }

  #write(chunk: StreamChunk): void {
    if (!this.#answer.write(chunk)) this.#end('failed', failure('answer_too_long'))
  }

  #finished(outcome: Outcome): void {
    const { state } = this.#answer
    if (state.phase !== 'running') return
    if (outcome.ending === 'failed') {
      const { generationId, model } = state.turn
      logger.error('generation_failed', outcome.error, { generationId, modelId: model.id, code: outcome.failure.code })
    }
    this.#end(outcome.ending, outcome.ending === 'failed' ? outcome.failure : null)
  }

  /** Claims the ending; the first claim counts. The model is silenced before anything else is done. */
  #end(ending: Ending, reason: Failure | null): void {
    if (this.#answer.state.phase !== 'running') return
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
    const { state } = this.#answer
    if (state.phase !== 'ended') return
    const { turn, ended, attempts } = state
    const { generationId, userId } = turn
    let owner: string | null = null
    try {
      owner = await endTurn(this.env, turnEnding(turn, ended, this.#answer.chunks(), turn.title))
      const nowMs = Date.now()
      this.#answer.settled(nowMs)
      await this.ctx.storage.setAlarm(nowMs + logKeptMs)
    } catch (error) {
      logger.error('settling_failed', error, { generationId, attempts })
      this.#answer.settlingFailed()
      await this.ctx.storage.setAlarm(Date.now() + settleBackoffMs(attempts))
      return
    }
    await notify(this.env, [owner ?? userId])
  }

  async #sealIfLost(): Promise<void> {
    await this.#beginning
    this.#takeUpIfLost()
    await this.#settle()
  }

  /** Whoever was writing is gone. A research goes on from what is stored; everything else has ended. */
  #takeUpIfLost(): void {
    const { state } = this.#answer
    if (state.phase !== 'running' || this.#run !== null || this.#beginning !== null) return
    const { research, generationId, userId } = state.turn
    const found = research ? takenUp(this.#answer.chunks()) : null
    if (!research || !found) {
      this.#end('interrupted', null)
      return
    }
    const writer = new ChunkWriter((chunk) => this.#write(chunk), Date.now)
    writer.repeat(found)
    this.#write({ type: 'start', messageId: generationId })
    const files = attachFiles(research.model, filesOfPerson(this.env, userId))
    this.#start(research, connectModel(mustSettings(this.env), research.model, files.slots), { parts: found, files }, writer)
    this.#watch()
  }

  /** A research is taken up again right away, in a call of its own. */
  #cut(): void {
    const { state } = this.#answer
    if (state.phase !== 'running') return
    if (state.turn.research) {
      this.#run?.stop()
      this.#run = null
    } else this.#end('interrupted', null)
  }

  /** The storage refuses writes: this object has been replaced or is broken. Whoever comes next finds what was stored. */
  #lost(error: unknown): void {
    logger.error('generation_lost', error)
    this.#run?.stop()
    this.ctx.abort('the log could not be written')
  }

  #watch(): void {
    const { phase } = this.#answer.state
    if (phase === 'running' || phase === 'ended') this.#heartbeat.begin().catch((error: unknown) => this.#lost(error))
  }
}
