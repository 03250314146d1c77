/**
 * How much of an event may be held before it ends. A picture comes in one, in base64, and the memory of a machine is everybody's who has an
 * object in it: so nearly all events are short, those that begin as a picture may be as long as one that is kept, and only a few of
 * these are read at a time. The others wait at their connections, which costs nothing.
 */
import { modelSilenceMs } from '../../contract/limits.ts'
import { maxMadeFileBytes } from '../../contract/made-files.ts'
import { MadeFileError, UnreadableModelError } from '../model-errors.ts'
import { later } from '../storage.ts'

/** Ours: twice what an answer may hold. One that goes on for longer without an end is none, and must not fill the memory of everybody here. */
export const maxEventChars = 4_000_000
/** The largest picture, and what a vendor may say beside it. */
export const maxPictureEventChars = Math.ceil((maxMadeFileBytes * 4) / 3) + 1024 * 1024

/** Ours: the largest is held up to three times while it is taken apart, 25 MB in all, and an isolate has 128 MB. */
const maxLargeEvents = 2
/** Ours: longer than this, and it is one of those. */
const largeEventChars = 512 * 1024
/** Ours: how soon a place that is free is found. They wait by the clock, because who leaves and who waits may be different objects. */
const waitMs = 20

/** What stands at the beginning of a part that holds a picture, as vendors write it. */
const pictureMarks =
  /"type"\s*:\s*"file"|"b64_json"|"(?:mediaType|mime_?type)"\s*:\s*"image\/|data:image\/|"data"\s*:\s*"(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR)/i
export const markChars = 512

/** A stream that nobody reads any more need not say so; nobody waits for longer than this for a word, and so for none of its places. */
const leaseMs = modelSilenceMs

/** Of one isolate: which have a place, and since when. */
const largeEvents = new Map<HeldEvent, number>()

function hasRoom(nowMs: number): boolean {
  for (const [event, sinceMs] of largeEvents) if (nowMs - sinceMs > leaseMs) largeEvents.delete(event)
  return largeEvents.size < maxLargeEvents
}

/** Of one model: when what it says last waited here, which is no silence of its own. */
export type Waiting = { atMs: number }

/** Of one stream, whose events come one after the other. */
export class HeldEvent {
  readonly #waiting: Waiting

  constructor(waiting: Waiting = { atMs: 0 }) {
    this.#waiting = waiting
  }

  /** So much of an event is held, and it goes on; `start` is how it begins. Waits for a place. Throws when it has become too long. */
  async goOn(chars: number, start: () => string): Promise<void> {
    if (chars > maxEventChars) this.#judge(chars, start())
    while (!largeEvents.has(this) && !hasRoom(Date.now())) {
      await new Promise<void>((resolve) => later(waitMs, resolve))
      this.#waiting.atMs = Date.now()
    }
    if (!largeEvents.has(this)) largeEvents.set(this, Date.now())
  }

  /** It has ended and is dealt with, or nobody reads it any more. */
  release(): void {
    largeEvents.delete(this)
  }

  #judge(chars: number, start: string): void {
    const isPicture = pictureMarks.test(start)
    if (isPicture && chars <= maxPictureEventChars) return
    throw isPicture ? new MadeFileError('made_file_too_large') : new UnreadableModelError('an event has no end')
  }
}

/** Whether it has to be asked whether an event may go on: nearly none. */
export const isLargeEvent = (chars: number): boolean => chars > largeEventChars
