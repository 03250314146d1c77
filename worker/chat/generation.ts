/**
 * The Durable Object that writes all answers of one user. Its name is the id of the user who asked, stored in `generation.writer`, because a
 * guest may become an account during a turn. Each answer is handled by writing.ts.
 */
import { DurableObject } from 'cloudflare:workers'
import { elsewhereMs, generationHeartbeatMs, maxTitleConnections, maxToolConnections, streamWaitMs } from '../contract/limits.ts'
import type { GenerationCalls, OrderFailure, TurnOrder } from '../contract/turn.ts'
import { readWriter } from '../db/turn-endings.ts'
import type { Env } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { within } from '../lib/within.ts'
import { emptyKeptMs, keptLogs, logKeptMs } from './alarm.ts'
import { AlarmClock } from './alarm-clock.ts'
import { AnswerTables } from './answer-tables.ts'
import { type AdmittedReader, type EndedSessions, OpenReaders } from './open-readers.ts'
import { later } from './storage.ts'
import { parseStreamRequest, type StreamRequest, streamResponse } from './stream-request.ts'
import { ConnectionGate } from './tools/connection-gate.ts'
import { WaitingRoom } from './waiting-room.ts'
import { Writing, type WritingPlace } from './writing.ts'

export class Generation extends DurableObject<Env> implements GenerationCalls {
  readonly #tables = new AnswerTables(this.ctx.storage)
  readonly #clock = new AlarmClock(this.ctx.storage)
  readonly #waiting = new WaitingRoom(later)
  readonly #readers = new OpenReaders()
  /** By generation id: answers that are not settled or have a running call. Other answers are read from storage on demand. */
  readonly #writings = new Map<string, Writing>()
  readonly #place: WritingPlace = {
    storage: this.ctx.storage,
    tables: this.#tables,
    later,
    env: () => this.env,
    connections: new ConnectionGate(maxToolConnections),
    titleConnections: new ConnectionGate(maxTitleConnections),
    ringBy: (atMs) => this.#clock.ringBy(atMs),
    isReadable: () => this.#waiting.call(),
    isSettled: (generationId, settledAtMs) => this.#restWhenSettled(generationId, settledAtMs),
    lost: (error) => this.#lost(error),
  }

  ensure(order: TurnOrder): Promise<void> {
    return this.#about(order.generationId, (writing) => writing.ensure(order))
  }

  stop(generationId: string, userId: string): Promise<void> {
    return this.#about(generationId, (writing) => writing.stop(userId))
  }

  recover(generationId: string, userId: string, reason?: OrderFailure): Promise<void> {
    return this.#about(generationId, (writing) => writing.recover(userId, reason))
  }

  /** Events for one reader. An answer of another user is refused as slowly as one that does not exist. */
  override async fetch(request: Request): Promise<Response> {
    const asked = parseStreamRequest(request)
    const reader = this.#readers.admit(asked, Date.now())
    if (typeof reader === 'number') return new Response(null, { status: reader })
    let isOpened = false
    try {
      const response = await this.#openStream(request, asked, reader)
      isOpened = response.status === 200 && !reader.signal.aborted
      return response
    } finally {
      if (!isOpened) reader.leave()
    }
  }

  async #openStream(request: Request, asked: StreamRequest, { signal, leave }: AdmittedReader): Promise<Response> {
    const { generationId, userId, threadId, after, sessionId, isSessionRead } = asked
    await this.#find(generationId)?.learnOwner(userId)
    const isHere = () => this.#find(generationId)?.isOf(userId, threadId) ?? false
    const isDecided = () => signal.aborted || isHere()
    if (!(await this.#waiting.wait(isDecided, elsewhereMs))) {
      let elsewhere: DurableObjectStub | null = null
      // Concurrently with the wait: a slow D1 may be the reason why the start command is late.
      void this.#elsewhere(asked).then((found) => {
        elsewhere = found
        // Every waiting reader checks again, and each check is a read.
        if (found !== null) this.#waiting.call()
      })
      await this.#waiting.wait(() => isDecided() || elsewhere !== null, streamWaitMs - elsewhereMs)
      if (elsewhere !== null && !isDecided()) {
        // The other object counts this reader.
        leave()
        return (elsewhere as DurableObjectStub).fetch(request)
      }
    }
    if (signal.aborted) return new Response(null, { status: signal.reason === 'replaced' ? 404 : 401 })
    const writing = this.#find(generationId)
    if (!writing || !isHere()) return new Response(null, { status: 404 })
    if (!isSessionRead && !writing.wasOrderedBeside(sessionId, Date.now())) return new Response(null, { status: 401 })
    return streamResponse(writing.read(after, { signal, leave }))
  }

  /** Ends the readers of ended sessions at once, also those that wait for their answer. `all`: of every session of the user. */
  endSessions(userId: string, ended: EndedSessions): void {
    this.#readers.endSessions(userId, ended, Date.now())
    this.#waiting.call()
  }

  override async alarm(): Promise<void> {
    this.#clock.isOff()
    const nowMs = Date.now()
    const open = this.#open()
    if (open.length === 0) return this.#rest(nowMs)
    // Before any attempt, so that another alarm follows if an attempt ends this object.
    await this.#clock.ringAt(nowMs + generationHeartbeatMs)
    // The next alarm waits for this handler, so an attempt that hangs must not delay the others.
    await within(generationHeartbeatMs, Promise.all(open.map((writing) => this.#perform(writing, nowMs))), () => [])
    await this.#restUntilRetry()
  }

  /** A failure of one answer is retried with the next alarm and does not affect the others. */
  async #perform(writing: Writing, nowMs: number): Promise<void> {
    try {
      await writing.perform(writing.taskAt(nowMs))
    } catch (error) {
      logger.error('alarm_failed', error)
    }
  }

  async #about(generationId: string, call: (writing: Writing) => Promise<void>): Promise<void> {
    const writing = this.#writingOf(generationId)
    this.#writings.set(generationId, writing)
    writing.calls += 1
    try {
      await call(writing)
    } finally {
      writing.calls -= 1
      this.#letGo(generationId)
    }
  }

  /** Keeps the instance while it has running calls, so that one instance makes all changes of an answer. */
  #letGo(generationId: string): void {
    const writing = this.#writings.get(generationId)
    if (writing?.calls === 0 && !writing.isOpen) this.#writings.delete(generationId)
  }

  /** The instance in memory, or one that reads the stored state. */
  #writingOf(generationId: string): Writing {
    return this.#writings.get(generationId) ?? new Writing(generationId, this.#place)
  }

  #find(generationId: string): Writing | null {
    const writing = this.#writingOf(generationId)
    if (writing.isOpen) this.#writings.set(generationId, writing)
    return writing.state.phase === 'absent' ? null : writing
  }

  /** Answers that are not settled, in memory and in storage. */
  #open(): readonly Writing[] {
    for (const generationId of this.#tables.unsettled()) this.#find(generationId)
    return [...this.#writings.values()].filter(({ isOpen }) => isOpen)
  }

  /** The object that writes a turn which the user started as a guest. Never throws: the order may still arrive here. */
  async #elsewhere({ userId, generationId }: StreamRequest): Promise<DurableObjectStub | null> {
    try {
      const turn = await readWriter(this.env, userId, generationId)
      if (!turn) return null
      const id = this.env.GENERATION.idFromName(turn.writer)
      return id.equals(this.ctx.id) ? null : this.env.GENERATION.get(id)
    } catch (error) {
      logger.error('writer_not_read', error, { generationId })
      return null
    }
  }

  async #restWhenSettled(generationId: string, settledAtMs: number): Promise<void> {
    this.#letGo(generationId)
    this.#tables.forgetBefore(settledAtMs - logKeptMs, keptLogs)
    if (this.#open().length === 0) await this.#clock.ringAt(settledAtMs + logKeptMs)
  }

  /** Sets the alarm for the next retry. While an answer is running, the heartbeat retries too. */
  async #restUntilRetry(): Promise<void> {
    const retries = this.#open().map(({ retryAtMs }) => retryAtMs ?? 0)
    const firstMs = Math.min(...retries)
    if (retries.length > 0 && firstMs > 0) await this.#clock.ringAt(firstMs)
  }

  /** Nothing is open. Deletes all logs after a while without turns, and all storage after a long time. */
  async #rest(nowMs: number): Promise<void> {
    const lastMs = this.#tables.lastSettledAtMs()
    if (lastMs !== null && nowMs < lastMs + logKeptMs) return this.#clock.ringAt(lastMs + logKeptMs)
    if (lastMs !== null) {
      this.ctx.storage.transactionSync(() => this.#tables.forgetAll())
      return this.#clock.ringAt(nowMs + emptyKeptMs)
    }
    const emptied = this.ctx.storage.deleteAll()
    // Before the wait, because an order may arrive during it.
    this.#clock.isOff()
    this.#tables.forgotten()
    await emptied
  }

  /** The storage refuses writes, because this object was replaced or is broken. The next instance continues from storage. */
  #lost(error: unknown): void {
    logger.error('generation_lost', error)
    for (const writing of this.#writings.values()) writing.silence()
    this.ctx.abort('the log could not be written')
  }
}
