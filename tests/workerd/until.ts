/** Waits for what becomes true by itself. Only what never comes is wrong: a busy machine takes its time. */
const patienceMs = 45_000
const lookEveryMs = 5

/** Resolves to what was looked at once it holds. By a clock that no test moves. */
export async function until<T>(look: () => T | Promise<T>, holds: (value: T) => boolean, what = 'this'): Promise<T> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (performance.now() > giveUpAt) throw new Error(`not in time: ${what}; ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}
