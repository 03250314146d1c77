/** Readers that arrive before the order wait here for a limited time. */
import type { Later } from './storage.ts'

export class WaitingRoom {
  readonly #later: Later
  readonly #waiting = new Set<() => void>()

  constructor(later: Later) {
    this.#later = later
  }

  /** Resolves as soon as `isServed` returns true, or with its result after `waitMs`. */
  async wait(isServed: () => boolean, waitMs: number): Promise<boolean> {
    if (isServed()) return true
    await new Promise<void>((resolve) => {
      const leave = () => {
        cancel()
        this.#waiting.delete(look)
        resolve()
      }
      const look = () => {
        if (isServed()) leave()
      }
      const cancel = this.#later(waitMs, leave)
      this.#waiting.add(look)
    })
    return isServed()
  }

  /** Something changed: every waiting reader checks again. */
  call(): void {
    for (const look of this.#waiting) look()
  }
}
