/** Where readers wait who come before the order does: for a while, and no longer. */
import type { Later } from './storage.ts'

export class WaitingRoom {
  readonly #later: Later
  readonly #waiting = new Set<() => void>()

  constructor(later: Later) {
    this.#later = later
  }

  /** Resolves as soon as `isServed` holds, or after `waitMs` with whatever it says then. */
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

  /** Something has changed: everybody looks again. */
  call(): void {
    for (const look of this.#waiting) look()
  }
}
