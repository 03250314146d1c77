/**
 * The Durable Object that writes one answer. Its id is made when the turn opens and stored in the turn's row. `TurnRunner` writes
 * the answer; the storage is deleted a while after the turn is settled.
 */
import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../bindings.ts'
import { generationHeartbeatMs, logRetentionMs } from '../contract/limits.ts'
import type { GenerationCalls, StartFailure, StartTurn } from '../contract/threads/turn.ts'
import type { EndedSessions } from '../contract/user-sync-calls.ts'
import { logger } from '../lib/logger.ts'
import { PendingReaders } from '../lib/pending-readers.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { OpenReaders, type RegisteredReader } from './turn/resumable-stream.ts'
import { TurnRunner } from './turn/runner.ts'
import { parseStreamRequest, type StreamRequest, streamResponse } from './turn/stream-request.ts'
import { later } from './turn/turn-state.ts'

export class Generation extends DurableObject<Env> implements GenerationCalls {
  readonly #pending = new PendingReaders()
  readonly #readers = new OpenReaders()
  #runner = this.#newRunner()

  start(command: StartTurn): Promise<void> {
    return this.#runner.start(command)
  }

  stop(generationId: string, userId: string): Promise<void> {
    return this.#runner.stop(generationId, userId)
  }

  recover(generationId: string, userId: string, reason?: StartFailure): Promise<void> {
    return this.#runner.recover(generationId, userId, reason)
  }

  /** Streams events to one reader. The Worker has authenticated the reader; this object checks owner, thread and session. */
  override async fetch(request: Request): Promise<Response> {
    const streamRequest = parseStreamRequest(request)
    const reader = this.#readers.register(streamRequest, Date.now())
    if (typeof reader === 'number') return new Response(null, { status: reader })
    let isOpened = false
    try {
      const response = await this.#openStream(streamRequest, reader)
      isOpened = response.status === 200 && !reader.signal.aborted
      return response
    } finally {
      if (!isOpened) reader.leave()
    }
  }

  async #openStream(
    { userId, threadId, after, sessionId, isSessionRead, waitMs }: StreamRequest,
    reader: RegisteredReader,
  ): Promise<Response> {
    const { signal } = reader
    await this.#pending.wait(() => signal.aborted || this.#runner.state.phase !== 'absent', waitMs)
    await this.#runner.learnOwner(userId)
    if (signal.aborted) return new Response(null, { status: signal.reason === 'replaced' ? 404 : 401 })
    if (!this.#runner.isOf(userId, threadId)) return new Response(null, { status: 404 })
    if (!isSessionRead && !this.#runner.wasInitialSession(sessionId, Date.now())) return new Response(null, { status: 401 })
    return streamResponse(this.#runner.read(after, reader))
  }

  /** Ends the readers of ended sessions at once, also those that wait for the start command. `all`: of every session of the user. */
  endSessions(userId: string, ended: EndedSessions): void {
    this.#readers.endSessions(userId, ended, Date.now())
    this.#pending.check()
  }

  override async alarm(): Promise<void> {
    const nowMs = Date.now()
    if (!this.#runner.isOpen) return this.#cleanUp(nowMs)
    // Before the attempt, so that another alarm follows if the attempt ends this object.
    await this.ctx.storage.setAlarm(nowMs + generationHeartbeatMs)
    const attempt = this.#runner.perform(nowMs).catch((error: unknown) => logger.error('alarm_failed', error))
    // The next alarm waits for this handler.
    await withTimeout(generationHeartbeatMs, attempt, () => undefined)
  }

  #newRunner(): TurnRunner {
    return new TurnRunner({
      storage: this.ctx.storage,
      later,
      env: () => this.env,
      setAlarm: (atMs) => this.ctx.storage.setAlarm(atMs),
      waitUntil: (work) => this.ctx.waitUntil(work),
      isReadable: () => this.#pending.check(),
      lost: (error) => this.#lost(error),
    })
  }

  /** Empties the storage once the log was kept long enough. */
  async #cleanUp(nowMs: number): Promise<void> {
    const { state } = this.#runner
    if (state.phase === 'settled' && nowMs < state.settledAtMs + logRetentionMs) {
      await this.ctx.storage.setAlarm(state.settledAtMs + logRetentionMs)
      return this.#runner.readForMemory()
    }
    const emptied = this.ctx.storage.deleteAll()
    // Before the wait, because a call may arrive during it.
    this.#runner = this.#newRunner()
    await emptied
  }

  /** A storage write failed. Stops the model call and aborts; the next instance continues from storage. */
  #lost(error: unknown): void {
    logger.error('generation_lost', error)
    this.#runner.abort()
    this.ctx.abort('the log could not be written')
  }
}
