/** One platform alarm for all named alarms. It may ring early, never late: the handler checks which names are due. */
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
  #isRinging = false

  constructor(storage: DurableObjectStorage, meta: Meta) {
    this.#storage = storage
    this.#meta = meta
  }

  /** Sets the platform's alarm for the earliest named alarm. An earlier one stays: an early ring costs less than a write each time. */
  async arm(): Promise<void> {
    const at = this.#isRinging ? null : nextAlarmAt(this.#meta.alarms)
    if (at !== null) await this.scheduleBefore(at)
  }

  async scheduleBefore(at: number): Promise<void> {
    if (this.#setAt === undefined) this.#setAt = await this.#storage.getAlarm()
    if (this.#setAt !== null && this.#setAt <= at) return
    this.#setAt = at
    await this.#storage.setAlarm(at)
  }

  /**
   * Runs the work of a ring, then sets the alarm for the remaining times. Not before: the platform rings again if the object dies
   * meanwhile, and the work may clear a time that it set.
   */
  async ring(work: () => Promise<void>): Promise<void> {
    // The platform removes an alarm when it rings.
    this.#setAt = null
    this.#isRinging = true
    try {
      await work()
    } finally {
      this.#isRinging = false
    }
    await this.arm()
  }
}
