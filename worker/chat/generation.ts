/**
 * The object in which a person's answers are written: named by the id of whoever asked, and found again by what the record says
 * (`generation.writer`), because a guest may have become an account meanwhile. One for all of them, because the platform takes long to make
 * an object that nobody has named before, and the first word would wait for it.
 *
 * A shell: what happens to one answer is in writing.ts. Budget: 240 lines.
 */
import { DurableObject } from 'cloudflare:workers'
import { elsewhereMs, generationHeartbeatMs, streamWaitMs } from '../contract/limits.ts'
import { type GenerationCalls, type TurnOrder, writerOf } from '../contract/turn.ts'
import { readWriter } from '../db/turn-endings.ts'
import type { Env } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { emptyKeptMs, keptLogs, logKeptMs } from './alarm.ts'
import { AlarmClock } from './alarm-clock.ts'
import { AnswerTables } from './answer-tables.ts'
import { later } from './storage.ts'
import { parseStreamRequest, type StreamRequest, streamResponse } from './stream-request.ts'
import { WaitingRoom } from './waiting-room.ts'
import { Writing, type WritingPlace } from './writing.ts'

export class Generation extends DurableObject<Env> implements GenerationCalls {
  readonly #tables = new AnswerTables(this.ctx.storage)
  readonly #clock = new AlarmClock(this.ctx.storage)
  readonly #waiting = new WaitingRoom(later)
  /** By generation id: what was asked for in the life of this object. */
  readonly #writings = new Map<string, Writing>()
  readonly #place: WritingPlace = {
    storage: this.ctx.storage,
    tables: this.#tables,
    later,
    env: () => this.env,
    ringBy: (atMs) => this.#clock.ringBy(atMs),
    isReadable: () => this.#waiting.call(),
    isSettled: (settledAtMs) => this.#restWhenSettled(settledAtMs),
    lost: (error) => this.#lost(error),
  }

  ensure(order: TurnOrder): Promise<void> {
    return this.#about(order.generationId, (writing) => writing.ensure(order))
  }

  stop(generationId: string, userId: string): Promise<void> {
    return this.#about(generationId, (writing) => writing.stop(userId))
  }

  recover(generationId: string, userId: string): Promise<void> {
    return this.#about(generationId, (writing) => writing.recover(userId))
  }

  /** Events for one reader. That an answer is somebody else's takes as long to say as that there is none. */
  override async fetch(request: Request): Promise<Response> {
    const asked = parseStreamRequest(request)
    const { generationId, userId, threadId, after } = asked
    await this.#find(generationId)?.learnOwner(userId)
    const isThere = () => this.#writings.get(generationId)?.isOf(userId, threadId) ?? false
    if (!(await this.#waiting.wait(isThere, elsewhereMs))) {
      const elsewhere = await this.#elsewhere(asked)
      if (elsewhere) return elsewhere.fetch(request)
      if (!(await this.#waiting.wait(isThere, streamWaitMs - elsewhereMs))) return new Response(null, { status: 404 })
    }
    const writing = this.#writings.get(generationId)
    return writing ? streamResponse(writing.read(after)) : new Response(null, { status: 404 })
  }

  override async alarm(): Promise<void> {
    this.#clock.isOff()
    const nowMs = Date.now()
    const open = this.#open()
    if (open.length === 0) return this.#rest(nowMs)
    // Before any attempt: should it kill this object, another one follows.
    await this.#clock.ringAt(nowMs + generationHeartbeatMs)
    await Promise.all(open.map((writing) => writing.perform(writing.taskAt(nowMs))))
  }

  async #about(generationId: string, call: (writing: Writing) => Promise<void>): Promise<void> {
    const writing = this.#find(generationId) ?? new Writing(generationId, this.#place)
    this.#writings.set(generationId, writing)
    try {
      await call(writing)
    } finally {
      // There is no such turn: nothing is to be remembered of it.
      if (writing.state.phase === 'absent') this.#writings.delete(generationId)
    }
  }

  #find(generationId: string): Writing | null {
    const known = this.#writings.get(generationId)
    if (known) return known
    if (!this.#tables.has(generationId)) return null
    const stored = new Writing(generationId, this.#place)
    this.#writings.set(generationId, stored)
    return stored
  }

  /** Answers that are not settled, also those of which nothing is stored yet. */
  #open(): readonly Writing[] {
    for (const generationId of this.#tables.unsettled()) this.#find(generationId)
    return [...this.#writings.values()].filter(({ state }) => state.phase === 'running' || state.phase === 'ended')
  }

  /** Whoever asked as a guest, or under an earlier release, is answered in another object. */
  async #elsewhere({ userId, generationId }: StreamRequest): Promise<DurableObjectStub | null> {
    const turn = await readWriter(this.env, userId, generationId)
    if (!turn) return null
    const id = this.env.GENERATION.idFromName(writerOf(turn))
    return id.equals(this.ctx.id) ? null : this.env.GENERATION.get(id)
  }

  async #restWhenSettled(settledAtMs: number): Promise<void> {
    for (const generationId of this.#tables.forgetBefore(settledAtMs - logKeptMs, keptLogs)) this.#writings.delete(generationId)
    if (this.#open().length === 0) await this.#clock.ringAt(settledAtMs + logKeptMs)
  }

  /** Nothing is open. Once nobody has asked for a while, all logs go together, and the object itself when nobody has for long. */
  async #rest(nowMs: number): Promise<void> {
    const lastMs = this.#tables.lastSettledAtMs()
    if (lastMs !== null && nowMs < lastMs + logKeptMs) return this.#clock.ringAt(lastMs + logKeptMs)
    if (lastMs !== null) {
      this.ctx.storage.transactionSync(() => this.#tables.forgetAll())
      this.#writings.clear()
      return this.#clock.ringAt(nowMs + emptyKeptMs)
    }
    await this.ctx.storage.deleteAll()
    this.#clock.isOff()
    this.#tables.forgotten()
    this.#writings.clear()
  }

  /** The storage refuses writes: this object has been replaced or is broken. Whoever comes next finds what was stored. */
  #lost(error: unknown): void {
    logger.error('generation_lost', error)
    for (const writing of this.#writings.values()) writing.silence()
    this.ctx.abort('the log could not be written')
  }
}
