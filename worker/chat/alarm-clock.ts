/**
 * The alarm of a Generation object, shared by its answers. Before it is set, the alarm of the user's object covers the turn (worker/turns/SPEC.md,
 * T2): it is set before the turn is recorded, and sends the order again if nothing was stored here.
 */
export class AlarmClock {
  readonly #storage: Pick<DurableObjectStorage, 'setAlarm'>
  /** The alarm time that this instance set. It replaces one that an earlier instance set. */
  #atMs: number | null = null

  constructor(storage: Pick<DurableObjectStorage, 'setAlarm'>) {
    this.#storage = storage
  }

  async ringAt(atMs: number): Promise<void> {
    this.#atMs = atMs
    await this.#storage.setAlarm(atMs)
  }

  /** Sets the alarm to this time or earlier. */
  async ringBy(atMs: number): Promise<void> {
    if (this.#atMs === null || atMs < this.#atMs) await this.ringAt(atMs)
  }

  /** Call after the alarm rang, or after the storage was emptied, which removes the alarm. */
  isOff(): void {
    this.#atMs = null
  }
}
