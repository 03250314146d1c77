/** One platform alarm for all named alarms. It may fire early, never late: the handler checks which names are due. */
import type { AlarmTimes, Meta } from './meta.ts'

export function nextAlarmAt(times: AlarmTimes): number | null {
  const all = Object.values(times)
  return all.length === 0 ? null : Math.min(...all)
}

/** In the order of `names`. */
export const dueNames = (times: AlarmTimes, names: readonly string[], nowMs: number): readonly string[] =>
  names.filter((name) => (times[name] ?? Number.POSITIVE_INFINITY) <= nowMs)

export class Alarm {
  readonly #storage: DurableObjectStorage
  readonly #meta: Meta
  /** Undefined until it is read after a wake; null when no alarm is set. */
  #setAt: number | null | undefined
  #isFiring = false

  constructor(storage: DurableObjectStorage, meta: Meta) {
    this.#storage = storage
    this.#meta = meta
  }

  /** Sets the platform's alarm for the earliest named alarm. An earlier one stays: an early alarm costs less than a write each time. */
  async arm(): Promise<void> {
    const at = this.#isFiring ? null : nextAlarmAt(this.#meta.alarms)
    if (at !== null) await this.scheduleBefore(at)
  }

  async scheduleBefore(at: number): Promise<void> {
    if (this.#setAt === undefined) this.#setAt = await this.#storage.getAlarm()
    if (this.#setAt !== null && this.#setAt <= at) return
    this.#setAt = at
    await this.#storage.setAlarm(at)
  }

  /**
   * Runs the due work, then sets the next alarm. Not before the work: the platform retries the alarm if the object dies, and the work may
   * clear a time that it set.
   */
  async handle(work: () => Promise<void>): Promise<void> {
    // The platform removes an alarm when it fires.
    this.#setAt = null
    this.#isFiring = true
    try {
      await work()
    } finally {
      this.#isFiring = false
    }
    await this.arm()
  }
}
