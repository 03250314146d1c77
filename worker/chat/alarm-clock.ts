/**
 * The one alarm of an object, for all answers that it writes. Until it is set, the alarm of the person's object finds an answer whose writer
 * died, which was set before the turn was recorded (worker/sync/SPEC.md, T2), also one of which nothing was stored: it is ordered again.
 */
export class AlarmClock {
  readonly #storage: Pick<DurableObjectStorage, 'setAlarm'>
  /** As this very object has set it. What one before it set, an alarm set anew takes the place of. */
  #atMs: number | null = null

  constructor(storage: Pick<DurableObjectStorage, 'setAlarm'>) {
    this.#storage = storage
  }

  async ringAt(atMs: number): Promise<void> {
    this.#atMs = atMs
    await this.#storage.setAlarm(atMs)
  }

  /** Then, or sooner. */
  async ringBy(atMs: number): Promise<void> {
    if (this.#atMs === null || atMs < this.#atMs) await this.ringAt(atMs)
  }

  /** It has rung, or the storage has been emptied, and the alarm with it. */
  isOff(): void {
    this.#atMs = null
  }
}
