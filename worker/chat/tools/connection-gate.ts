/** Limits concurrent work to `size`; the rest is queued. Platform limit: six connections of an object may wait for response headers. */
export class ConnectionGate {
  readonly #size: number
  readonly #line = new Set<() => void>()
  #inside = 0

  constructor(size: number) {
    this.#size = size
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const leave = await this.enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Resolves with a function that releases the place; a second call does nothing. `wait` may throw to leave the queue. */
  async enter(wait: (turn: Promise<void>) => Promise<void> = (turn) => turn): Promise<() => void> {
    if (this.#inside < this.#size) this.#inside += 1
    else await this.#wait(wait)
    let isInside = true
    return () => {
      if (isInside) this.#leave()
      isInside = false
    }
  }

  async #wait(wait: (turn: Promise<void>) => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#line.add(resolve)
    try {
      await wait(promise)
    } catch (error) {
      // The place was assigned just before the wait failed, so it is passed on.
      if (!this.#line.delete(resolve)) this.#leave()
      throw error
    }
  }

  #leave(): void {
    const [next] = this.#line
    if (!next) this.#inside -= 1
    else {
      // Passed on directly, so that no other caller can take it first.
      this.#line.delete(next)
      next()
    }
  }
}
