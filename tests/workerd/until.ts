/** Waits for a condition without an event. A generous timeout, because the machine may be busy. */
const patienceMs = 45_000
const lookEveryMs = 5

/** Resolves with the value when it satisfies the condition. Uses a clock that no test changes. */
export async function until<T>(look: () => T | Promise<T>, holds: (value: T) => boolean, what = 'this'): Promise<T> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const value = await look()
    if (holds(value)) return value
    if (performance.now() > giveUpAt) throw new Error(`not in time: ${what}; ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}
