/** At most `size` at work at once; the others wait in line. An object has six connections that wait to be answered, for all that is written in it. */
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

  /** Resolves with what to call at the end; once more does nothing. `wait`: how long one's turn is waited for, which may throw. */
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
      // Who gives up in the moment in which the turn comes has a place to give on.
      if (!this.#line.delete(resolve)) this.#leave()
      throw error
    }
  }

  #leave(): void {
    const [next] = this.#line
    if (!next) this.#inside -= 1
    else {
      // Whoever is next takes the place over, so that nobody slips in between.
      this.#line.delete(next)
      next()
    }
  }
}
