/** Callers that wait for a condition for a limited time, without polling. */
export class PendingReaders {
  readonly #checks = new Set<() => void>()

  get count(): number {
    return this.#checks.size
  }

  /** Resolves as soon as `isMet` returns true, or after `waitMs`. */
  async wait(isMet: () => boolean, waitMs: number): Promise<void> {
    if (isMet()) return
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        this.#checks.delete(check)
        resolve()
      }
      const check = () => {
        if (isMet()) finish()
      }
      const timer = setTimeout(finish, waitMs)
      this.#checks.add(check)
    })
  }

  /** Call after a change that a condition depends on. */
  check(): void {
    for (const check of this.#checks) check()
  }
}
