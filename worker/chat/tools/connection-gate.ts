/** At most `size` at work at once; the others wait in line. An object has six connections that wait to be answered, for all that is written in it. */
export class ConnectionGate {
  readonly #size: number
  readonly #line: (() => void)[] = []
  #inside = 0

  constructor(size: number) {
    this.#size = size
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#size) await new Promise<void>((resolve) => this.#line.push(resolve))
    else this.#inside += 1
    try {
      return await work()
    } finally {
      const next = this.#line.shift()
      // Whoever is next takes the place over, so that nobody slips in between.
      if (next) next()
      else this.#inside -= 1
    }
  }
}
