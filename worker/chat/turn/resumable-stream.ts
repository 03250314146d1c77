/**
 * The stream readers of one answer, each from the chunk it names. A reader is a cursor into the log: it reads as much as its connection
 * can take, so a slow reader holds no memory and does not delay the others.
 */

import { maxStreamReaders, readerReplacedAfterMs } from '../../contract/limits.ts'
import { encodeEnd, keepAliveEvent, restartEvent, sessionEndedEvent } from '../../contract/threads/event-stream.ts'
import type { Ending } from '../../contract/threads/messages.ts'
import type { EndedSessions } from '../../contract/user-sync-calls.ts'
import type { Events } from './segment-log.ts'
import type { StreamRequest } from './stream-request.ts'
import type { Later } from './turn-state.ts'

/** Proxies close a silent connection after about a minute. */
export const keepAliveMs = 15_000
/** Bytes that may wait in the runtime for one slow connection. */
const maxBufferedBytes = 64 * 1024

type Source = { readonly last: number; eventsAfter(after: number): Events | null }
type Reader = {
  cursor: number
  isSending: boolean
  /** Resolves the pull that waits while this reader is up to date. */
  resume: (() => void) | null
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  readonly leave: (() => void) | undefined
}

export class ResumableStream {
  /** Null before the start command is stored. Readers that come earlier get every chunk from the first one. */
  #log: Source | null
  readonly #later: Later
  readonly #readers = new Set<Reader>()
  readonly #encoder = new TextEncoder()
  #ending: Ending | null = null
  #cancelKeepAlive: (() => void) | null = null

  constructor(log: Source | null, later: Later) {
    this.#log = log
    this.#later = later
  }

  /** The start command is stored: starts to send. */
  follow(log: Source): void {
    this.#log = log
    for (const reader of this.#readers) this.#begin(reader, log)
    this.send()
  }

  /** Events after chunk `after`, then the end, or an earlier end when the signal aborts. */
  open(after: number, registered?: RegisteredReader): ReadableStream<Uint8Array> {
    let reader: Reader | null = null
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const opened: Reader = { cursor: after, isSending: false, resume: null, controller, leave: registered?.leave }
          reader = opened
          this.#readers.add(opened)
          registered?.signal.addEventListener('abort', () => this.#endEarly(opened, registered.signal.reason), { once: true })
          if (this.#log) this.#begin(opened, this.#log)
          this.#scheduleKeepAlive()
        },
        pull: () => (reader ? this.#pull(reader) : undefined),
        cancel: () => {
          if (reader) this.#leave(reader)
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxBufferedBytes }),
    )
  }

  /** Sends the later events of the log to `readers`, up to the buffer limit of each connection. */
  send(readers: Iterable<Reader> = this.#readers): void {
    if (this.#log === null) return
    for (const reader of readers) {
      // `enqueue` may call `pull` before it returns, while the cursor still has its old value.
      if (reader.isSending) continue
      reader.isSending = true
      const { controller } = reader
      try {
        while (!isFull(reader)) {
          const events = this.#log.eventsAfter(reader.cursor)
          if (events === null) {
            if (this.#ending !== null) this.#finish(reader, this.#ending)
            break
          }
          controller.enqueue(this.#encoder.encode(events.text))
          reader.cursor = events.last
        }
      } catch (error) {
        // The log was deleted before a slow reader had read all of it. Other readers must not be affected, and no timer may remain.
        controller.error(error)
        this.#leave(reader)
      }
      reader.isSending = false
      if (isFull(reader)) this.#resume(reader)
    }
  }

  end(ending: Ending): void {
    this.#ending = ending
    this.send()
  }

  /** Pending while this reader is up to date, because the runtime calls `pull` again after each one that resolves. */
  #pull(reader: Reader): Promise<void> | undefined {
    this.send([reader])
    if (!this.#readers.has(reader) || isFull(reader)) return undefined
    return new Promise((resolve) => {
      reader.resume = resolve
    })
  }

  /**
   * A cursor beyond the last chunk means that a crash lost chunks whose numbers will be used again. The reader restarts, or gets only the end
   * if the answer has ended.
   */
  #begin(reader: Reader, { last }: Source): void {
    if (reader.cursor <= last || this.#ending !== null) return
    reader.cursor = 0
    reader.controller.enqueue(this.#encoder.encode(restartEvent))
  }

  #finish(reader: Reader, ending: Ending): void {
    reader.controller.enqueue(this.#encoder.encode(encodeEnd(ending)))
    reader.controller.close()
    this.#leave(reader)
  }

  #resume(reader: Reader): void {
    reader.resume?.()
    reader.resume = null
  }

  #endEarly(reader: Reader, why: ReaderEnd): void {
    if (!this.#readers.has(reader)) return
    if (why === 'session-ended') reader.controller.enqueue(this.#encoder.encode(sessionEndedEvent))
    reader.controller.close()
    this.#leave(reader)
  }

  #leave(reader: Reader): void {
    this.#readers.delete(reader)
    reader.leave?.()
    this.#resume(reader)
    if (this.#readers.size > 0) return
    this.#cancelKeepAlive?.()
    this.#cancelKeepAlive = null
  }

  #scheduleKeepAlive(): void {
    this.#cancelKeepAlive ??= this.#later(keepAliveMs, () => {
      this.#cancelKeepAlive = null
      for (const reader of this.#readers) {
        if (!isFull(reader)) reader.controller.enqueue(this.#encoder.encode(keepAliveEvent))
      }
      if (this.#readers.size > 0) this.#scheduleKeepAlive()
    })
  }
}

const isFull = ({ controller }: Reader): boolean => (controller.desiredSize ?? 0) <= 0

/**
 * The stream readers of one Generation object, from request to end: a bounded number, and only of live sessions. In memory
 * only, like the streams.
 */
type OpenReader = Pick<StreamRequest, 'userId' | 'sessionId' | 'readerId'> & {
  readonly openedAtMs: number
  readonly ended: AbortController
}

/** Why a reader ends before its answer: `replaced` by a newer request of the same page, or by another reader at the limit. */
export type ReaderEnd = 'session-ended' | 'replaced'

/**
 * Chosen: longer than a request or a start command sent before the session ended can take to arrive. Later requests fail the check of the
 * session in D1.
 */
const endedRetentionMs = 60_000

export type RegisteredReader = {
  /** Aborts with a `ReaderEnd`. */
  readonly signal: AbortSignal
  readonly leave: () => void
}

export class OpenReaders {
  readonly #readers = new Set<OpenReader>()
  /** Ended sessions and users, with the time until which they are remembered. */
  readonly #ended = new Map<string, number>()

  /**
   * Registers a reader until it leaves, or names the HTTP status of the refusal. The platform may report a broken connection late or not at
   * all. So a page that reconnects replaces its earlier reader, and at the limit a new reader replaces the oldest one, unless that is too new.
   */
  register({ userId, sessionId, readerId }: StreamRequest, nowMs: number): RegisteredReader | 401 | 429 {
    if (this.#isEnded(sessionKey(sessionId), nowMs) || this.#isEnded(userKey(userId), nowMs)) return 401
    const others = [...this.#readers]
    const earlier = others.find((reader) => readerId !== '' && reader.readerId === readerId && reader.sessionId === sessionId)
    const oldest = others.length < maxStreamReaders ? undefined : others[0]
    if (!earlier && oldest && nowMs < oldest.openedAtMs + readerReplacedAfterMs) return 429
    const replaced = earlier ?? oldest
    if (replaced) this.#end(replaced, 'replaced')
    const reader = { userId, sessionId, readerId, openedAtMs: nowMs, ended: new AbortController() }
    this.#readers.add(reader)
    return { signal: reader.ended.signal, leave: () => void this.#readers.delete(reader) }
  }

  endSessions(userId: string, ended: EndedSessions, nowMs: number): void {
    for (const [key, untilMs] of this.#ended) if (untilMs <= nowMs) this.#ended.delete(key)
    const keys = ended === 'all' ? [userKey(userId)] : ended.map(sessionKey)
    for (const key of keys) this.#ended.set(key, nowMs + endedRetentionMs)
    for (const reader of [...this.#readers]) {
      const isOver = ended === 'all' ? reader.userId === userId : ended.includes(reader.sessionId)
      if (isOver) this.#end(reader, 'session-ended')
    }
  }

  #end(reader: OpenReader, why: ReaderEnd): void {
    this.#readers.delete(reader)
    reader.ended.abort(why)
  }

  #isEnded(key: string, nowMs: number): boolean {
    return (this.#ended.get(key) ?? 0) > nowMs
  }
}

const sessionKey = (id: string) => `session/${id}`
const userKey = (id: string) => `user/${id}`
