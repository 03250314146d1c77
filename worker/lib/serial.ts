/** Runs tasks sequentially in call order. A failed task rejects its own promise only. */
export type Serial = <T>(task: () => Promise<T>) => Promise<T>

export function createSerial(): Serial {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    // The caller handles the rejection of `result`; the queue continues.
    last = result.catch(() => undefined)
    return result
  }
}
