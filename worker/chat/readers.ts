/**
 * Any number of people and tabs reading one answer, each from the chunk it names. A reader is a cursor into the log and nothing more:
 * it takes from the log what its connection can carry, so a slow one holds no memory and delays nobody.
 */
import { encodeEnd, keepAliveEvent, restartEvent } from '../contract/event-stream.ts'
import type { Ending } from '../contract/messages.ts'
import type { Events } from './segment-log.ts'
import type { Later } from './storage.ts'

/** Proxies in front of us close a silent connection after a minute or so. */
export const keepAliveMs = 15_000
/**
 * A model that says more than 250 words a second is passed on in bundles: writing to a connection costs as much for one word as for ten.
 * Ours: a quarter of the time for which a screen shows one picture, so nobody sees a word later than without it.
 */
export const bundleMs = 4
/** Ours: words that a network or a busy machine brings early are still those of a slow model, and a timer would cost as much as the word. */
export const leewayMs = 2 * bundleMs
/** What may wait in the runtime for one slow connection. */
const maxBufferedBytes = 64 * 1024

type Source = { readonly last: number; eventsAfter(after: number): Events | null }
type Reader = {
  cursor: number
  isPumping: boolean
  /** Ends the pull that lasts while this reader has everything there is. */
  resume: (() => void) | null
  readonly controller: ReadableStreamDefaultController<Uint8Array>
}

export class Readers {
  /** Null before there is anything to hear: who comes then hears it from the first chunk on. */
  #log: Source | null
  readonly #later: Later
  readonly #nowMs: () => number
  readonly #readers = new Set<Reader>()
  readonly #encoder = new TextEncoder()
  #ending: Ending | null = null
  #cancelKeepAlive: (() => void) | null = null
  /** Readers at the live edge all need the same bytes; they are encoded once. */
  #edge: { readonly after: number; readonly last: number; readonly bytes: Uint8Array } | null = null
  /** When another bundle could go, at one in `bundleMs`. */
  #nextBundleMs = 0
  #cancelBundle: (() => void) | null = null
  /** At the end of this turn of the event loop. */
  #isWaking = false
  /** Something unseen waits for the end of this turn. */
  #isLingering = false

  constructor(log: Source | null, later: Later, nowMs: () => number) {
    this.#log = log
    this.#later = later
    this.#nowMs = nowMs
  }

  /** From here on there is something to hear. */
  follow(log: Source): void {
    this.#log = log
    for (const reader of this.#readers) this.#begin(reader, log)
    this.wake()
  }

  /** Events after chunk `after`, then the end. */
  open(after: number): ReadableStream<Uint8Array> {
    let reader: Reader | null = null
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          reader = { cursor: after, isPumping: false, resume: null, controller }
          this.#readers.add(reader)
          if (this.#log) this.#begin(reader, this.#log)
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

  /** The log has grown: pass it on in the same turn of the event loop, without any delay of our own. */
  wake(): void {
    this.#cancelBundle?.()
    this.#cancelBundle = null
    this.#isWaking = false
    this.#isLingering = false
    this.#nextBundleMs = Math.max(this.#nextBundleMs, this.#nowMs()) + bundleMs
    for (const reader of this.#readers) this.#pump(reader)
  }

  /**
   * The log has grown by more of the same. What has arrived together is passed on together, in the same turn of the event loop; what keeps
   * coming faster than `bundleMs` waits for the next bundle.
   */
  wakeSoon(): void {
    if (this.#isWaking) return
    const waitMs = this.#nextBundleMs - leewayMs - this.#nowMs()
    if (waitMs > 0) {
      this.#wakeIn(Math.min(waitMs, bundleMs))
      return
    }
    this.#isWaking = true
    void Promise.resolve().then(() => {
      if (this.#isWaking) this.wake()
    })
  }

  /** The log has grown by what nobody sees: it goes with the next word. That has mostly come with it; only where it has not, a clock is set. */
  wakeLater(): void {
    if (this.#isLingering) return
    this.#isLingering = true
    void Promise.resolve().then(() => {
      if (this.#isLingering) this.#wakeIn(bundleMs)
      this.#isLingering = false
    })
  }

  #wakeIn(delayMs: number): void {
    this.#cancelBundle ??= this.#later(delayMs, () => this.wake())
  }

  end(ending: Ending): void {
    this.#ending = ending
    this.wake()
  }

  /** Lasts until this reader is behind: the runtime asks nobody who is answering, and each question would cost more than the word. */
  #pull(reader: Reader): Promise<void> | undefined {
    this.#pump(reader)
    if (!this.#readers.has(reader) || isFull(reader)) return undefined
    return new Promise((resolve) => {
      reader.resume = resolve
    })
  }

  /**
   * A number we never reached was lost in a crash, and other chunks will have it: its reader begins anew, or reads nothing but the end when
   * that has come.
   */
  #begin(reader: Reader, { last }: Source): void {
    if (reader.cursor <= last || this.#ending !== null) return
    reader.cursor = 0
    reader.controller.enqueue(this.#encoder.encode(restartEvent))
  }

  #pump(reader: Reader): void {
    // `enqueue` asks for more before it returns, with the cursor still on what is being sent.
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
      // The log was forgotten before a slow reader had all of it. Nobody else is to wait for the one, and no clock is to tick for it.
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

  #leave(reader: Reader): void {
    this.#readers.delete(reader)
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
