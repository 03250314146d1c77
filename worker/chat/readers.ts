/**
 * The stream readers of one answer, each from the chunk it names. A reader is a cursor into the log: it reads as much as its connection
 * can take, so a slow reader holds no memory and does not delay the others.
 */
import { encodeEnd, keepAliveEvent, restartEvent, sessionEndedEvent } from '../contract/event-stream.ts'
import type { Ending } from '../contract/messages.ts'
import type { AdmittedReader, ReaderEnd } from './open-readers.ts'
import type { Events } from './segment-log.ts'
import type { Later } from './storage.ts'

/** Proxies close a silent connection after about a minute. */
export const keepAliveMs = 15_000
/** Bytes that may wait in the runtime for one slow connection. */
const maxBufferedBytes = 64 * 1024

type Source = { readonly last: number; eventsAfter(after: number): Events | null }
type Reader = {
  cursor: number
  isPumping: boolean
  /** Resolves the pull that waits while this reader is up to date. */
  resume: (() => void) | null
  readonly controller: ReadableStreamDefaultController<Uint8Array>
  readonly leave: (() => void) | undefined
}

export class Readers {
  /** Null before the order is stored. Readers that come earlier get every chunk from the first one. */
  #log: Source | null
  readonly #later: Later
  readonly #readers = new Set<Reader>()
  readonly #encoder = new TextEncoder()
  #ending: Ending | null = null
  #cancelKeepAlive: (() => void) | null = null
  /** The newest events, encoded once for all readers that are up to date. */
  #edge: { readonly after: number; readonly last: number; readonly bytes: Uint8Array } | null = null
  constructor(log: Source | null, later: Later) {
    this.#log = log
    this.#later = later
  }

  /** The order is stored: starts to send. */
  follow(log: Source): void {
    this.#log = log
    for (const reader of this.#readers) this.#begin(reader, log)
    this.wake()
  }

  /** Events after chunk `after`, then the end, or an earlier end when the signal aborts. */
  open(after: number, admitted?: AdmittedReader): ReadableStream<Uint8Array> {
    let reader: Reader | null = null
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const opened: Reader = { cursor: after, isPumping: false, resume: null, controller, leave: admitted?.leave }
          reader = opened
          this.#readers.add(opened)
          admitted?.signal.addEventListener('abort', () => this.#endEarly(opened, admitted.signal.reason), { once: true })
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

  /** The log has grown. */
  wake(): void {
    for (const reader of this.#readers) this.#pump(reader)
  }

  end(ending: Ending): void {
    this.#ending = ending
    this.wake()
  }

  /** Pending while this reader is up to date, because the runtime calls `pull` again after each one that resolves. */
  #pull(reader: Reader): Promise<void> | undefined {
    this.#pump(reader)
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

  #pump(reader: Reader): void {
    // `enqueue` may call `pull` before it returns, while the cursor still has its old value.
    if (reader.isPumping || this.#log === null) return
    reader.isPumping = true
    const { controller } = reader
    try {
      while (!isFull(reader)) {
        const next = this.#next(reader.cursor)
        if (next) {
          controller.enqueue(next.bytes)
          reader.cursor = next.last
        } else if (this.#ending) {
          controller.enqueue(this.#encoder.encode(encodeEnd(this.#ending)))
          controller.close()
          this.#leave(reader)
          break
        } else break
      }
    } catch (error) {
      // The log was deleted before a slow reader had read all of it. Other readers must not be affected, and no timer may remain.
      controller.error(error)
      this.#leave(reader)
    }
    reader.isPumping = false
    if (isFull(reader)) this.#resume(reader)
  }

  #resume(reader: Reader): void {
    reader.resume?.()
    reader.resume = null
  }

  #next(after: number): { readonly last: number; readonly bytes: Uint8Array } | null {
    if (this.#edge?.after === after && this.#edge.last === this.#log?.last) return this.#edge
    const events = this.#log?.eventsAfter(after)
    if (!events) return null
    const next = { after, last: events.last, bytes: this.#encoder.encode(events.text) }
    this.#edge = next
    return next
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
