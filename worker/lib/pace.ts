/**
 * Work that costs no credit leaves most of the time to everybody else: after each part it pauses for a multiple of the time that the part took.
 * A part takes longer on a loaded database, so the pause depends on the load (ADR 0128).
 */

/** Chosen: work on a database of all users takes a tenth of the time, so that four such accounts still leave more than half. */
const pausesOfShared = 9
/** Chosen: work in the user's own object delays only this user, and its result is waited for. */
const pausesOfOwn = 1
/** Chosen: the longest pause, for a part that waited for the database itself. */
const maxPauseMs = 5_000

type PacedWork = 'shared' | 'own'

/** The pause that follows a part. It is never 0, so that other tasks of the event loop run. */
export const pauseMsAfter = (partMs: number, work: PacedWork): number =>
  Math.min(Math.max(partMs, 1) * (work === 'shared' ? pausesOfShared : pausesOfOwn), maxPauseMs)

export const pauseAfter = (partMs: number, work: PacedWork): Promise<void> => scheduler.wait(pauseMsAfter(partMs, work))

/** One part at a time, each after the pause of the part before. */
export class Pace {
  #pause: Promise<void> | null = null

  /** Until when the next part must wait; null: it may begin. */
  get pause(): Promise<void> | null {
    return this.#pause
  }

  async part<T>(work: PacedWork, run: () => Promise<T>): Promise<T> {
    const begunMs = Date.now()
    try {
      return await run()
    } finally {
      const pause = pauseAfter(Date.now() - begunMs, work).then(() => {
        if (this.#pause === pause) this.#pause = null
      })
      this.#pause = pause
    }
  }
}

/**
 * Yields to the event loop. Calls to a database in the same process never make the event loop idle, and only an idle event loop handles
 * sockets and timers.
 */
export const yieldToEventLoop = (): Promise<void> => scheduler.wait(0)
