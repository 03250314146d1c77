/** Runs tasks one after another, in the order they were given. A failed task fails its own caller and nobody else. */
export type Serial = <T>(task: () => Promise<T>) => Promise<T>

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    // The queue must go on; the caller holds `result` and sees the failure there.
    last = result.catch(() => undefined)
    return result
  }
}
