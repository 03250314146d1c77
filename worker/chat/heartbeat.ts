/**
 * The alarm by which an answer is found whose object died. Until it is set, the alarm of the person's object finds it, which was set before
 * the turn was recorded (worker/sync/SPEC.md, T2), also an answer of which nothing was stored: it is ordered again.
 */
import { generationHeartbeatMs } from '../contract/limits.ts'

export class Heartbeat {
  readonly #storage: Pick<DurableObjectStorage, 'setAlarm'>
  #isSet = false

  constructor(storage: Pick<DurableObjectStorage, 'setAlarm'>) {
    this.#storage = storage
  }

  async beat(): Promise<void> {
    this.#isSet = true
    await this.#storage.setAlarm(Date.now() + generationHeartbeatMs)
  }

  /** At least once in the life of this object. */
  async begin(): Promise<void> {
    if (!this.#isSet) await this.beat()
  }

  /** The storage has been emptied, and the alarm with it. */
  forgotten(): void {
    this.#isSet = false
  }
}
