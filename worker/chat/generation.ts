/**
 * The object in which a person's answers are written: named by the id of whoever asked, and found again by what the record says
 * (`generation.writer`), because a guest may have become an account meanwhile. One for all of them, because the platform takes long to make
 * an object that nobody has named before, and the first word would wait for it.
 *
 * A shell: what happens to one answer is in writing.ts. Budget: 240 lines.
 */
import { DurableObject } from 'cloudflare:workers'
import {
  elsewhereMs,
  generationHeartbeatMs,
  maxAskedModels,
  maxTitleConnections,
  maxToolConnections,
  streamWaitMs,
} from '../contract/limits.ts'
import { type GenerationCalls, type OrderFailure, type TurnOrder, writerOf } from '../contract/turn.ts'
import { readWriter } from '../db/turn-endings.ts'
import type { Env } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { within } from '../lib/within.ts'
import { emptyKeptMs, keptLogs, logKeptMs } from './alarm.ts'
import { AlarmClock } from './alarm-clock.ts'
import { AnswerTables } from './answer-tables.ts'
import { AskingLine } from './asking-line.ts'
import { later } from './storage.ts'
import { parseStreamRequest, type StreamRequest, streamResponse } from './stream-request.ts'
import { ConnectionGate } from './tools/connection-gate.ts'
import { WaitingRoom } from './waiting-room.ts'
import { Writing, type WritingPlace } from './writing.ts'

export class Generation extends DurableObject<Env> implements GenerationCalls {
  readonly #tables = new AnswerTables(this.ctx.storage)
  readonly #clock = new AlarmClock(this.ctx.storage)
  readonly #waiting = new WaitingRoom(later)
  /** By generation id: what is not settled, or being asked about right now. The rest is found in the storage when somebody comes. */
  readonly #writings = new Map<string, Writing>()
  readonly #place: WritingPlace = {
    storage: this.ctx.storage,
    tables: this.#tables,
    later,
    env: () => this.env,
    connections: new ConnectionGate(maxToolConnections),
    titleConnections: new ConnectionGate(maxTitleConnections),
    asking: new AskingLine(maxAskedModels),
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

  /** Events for one reader. That an answer is somebody else's takes as long to say as that there is none. */
  override async fetch(request: Request): Promise<Response> {
    const asked = parseStreamRequest(request)
    const { generationId, userId, threadId, after, sessionId } = asked
    await this.#find(generationId)?.learnOwner(userId)
    const isHere = () => this.#find(generationId)?.isOf(userId, threadId) ?? false
    if (!(await this.#waiting.wait(isHere, elsewhereMs))) {
      let elsewhere: DurableObjectStub | null = null
      // Beside the waiting: a record that is slow is why orders are late.
      void this.#elsewhere(asked).then((found) => {
        elsewhere = found
        // Everybody who waits here looks again, and each look is a read.
        if (found !== null) this.#waiting.call()
      })
      await this.#waiting.wait(() => isHere() || elsewhere !== null, streamWaitMs - elsewhereMs)
      if (elsewhere !== null && !isHere()) return (elsewhere as DurableObjectStub).fetch(request)
    }
    const writing = this.#find(generationId)
    if (!writing || !isHere()) return new Response(null, { status: 404 })
    if (sessionId !== undefined && !writing.wasOrderedBeside(sessionId, Date.now())) return new Response(null, { status: 401 })
    return streamResponse(writing.read(after))
  }

  override async alarm(): Promise<void> {
    this.#clock.isOff()
    const nowMs = Date.now()
    const open = this.#open()
    if (open.length === 0) return this.#rest(nowMs)
    // Before any attempt: should it kill this object, another one follows.
    await this.#clock.ringAt(nowMs + generationHeartbeatMs)
    // No alarm rings while one is being answered: an attempt that hangs must not keep the others waiting for theirs.
    await within(generationHeartbeatMs, Promise.all(open.map((writing) => this.#perform(writing, nowMs))), () => [])
    await this.#restUntilRetry()
  }

  /** What is wrong with one answer is tried again with the next alarm, and is nothing to the others. */
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

  /** Not while somebody asks about it: what is written about one answer goes through one writing. */
  #letGo(generationId: string): void {
    const writing = this.#writings.get(generationId)
    if (writing?.calls === 0 && !writing.isOpen) this.#writings.delete(generationId)
  }

  /** As it is known here, or as it was stored; else one that is absent. */
  #writingOf(generationId: string): Writing {
    return this.#writings.get(generationId) ?? new Writing(generationId, this.#place)
  }

  #find(generationId: string): Writing | null {
    const writing = this.#writingOf(generationId)
    if (writing.isOpen) this.#writings.set(generationId, writing)
    return writing.state.phase === 'absent' ? null : writing
  }

  /** Answers that are not settled, also those of which nothing is stored yet. */
  #open(): readonly Writing[] {
    for (const generationId of this.#tables.unsettled()) this.#find(generationId)
    return [...this.#writings.values()].filter(({ isOpen }) => isOpen)
  }

  /** Whoever asked as a guest, or under an earlier release, is answered in another object. Never throws: here the order may still come. */
  async #elsewhere({ userId, generationId }: StreamRequest): Promise<DurableObjectStub | null> {
    try {
      const turn = await readWriter(this.env, userId, generationId)
      if (!turn) return null
      const id = this.env.GENERATION.idFromName(writerOf(turn))
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

  /** While somebody writes, the next heartbeat asks the record again, too. */
  async #restUntilRetry(): Promise<void> {
    const retries = this.#open().map(({ retryAtMs }) => retryAtMs ?? 0)
    const firstMs = Math.min(...retries)
    if (retries.length > 0 && firstMs > 0) await this.#clock.ringAt(firstMs)
  }

  /** Nothing is open. Once nobody has asked for a while, all logs go together, and the object itself when nobody has for long. */
  async #rest(nowMs: number): Promise<void> {
    const lastMs = this.#tables.lastSettledAtMs()
    if (lastMs !== null && nowMs < lastMs + logKeptMs) return this.#clock.ringAt(lastMs + logKeptMs)
    if (lastMs !== null) {
      this.ctx.storage.transactionSync(() => this.#tables.forgetAll())
      return this.#clock.ringAt(nowMs + emptyKeptMs)
    }
    const emptied = this.ctx.storage.deleteAll()
    // Before it is waited for: an order that comes meanwhile finds what is so.
    this.#clock.isOff()
    this.#tables.forgotten()
    await emptied
  }

  /** The storage refuses writes: this object has been replaced or is broken. Whoever comes next finds what was stored. */
  #lost(error: unknown): void {
    logger.error('generation_lost', error)
    for (const writing of this.#writings.values()) writing.silence()
    this.ctx.abort('the log could not be written')
  }
}
