import type { Serial } from '../lib/serial.ts'

/** For tasks of which a second that waits would do what the first will do: it is left out. */
export function oneInLine(run: Serial): (task: () => Promise<unknown>) => Promise<unknown> {
  let isWaiting = false
  return async (task) => {
    if (isWaiting) return undefined
    isWaiting = true
    return run(() => {
      isWaiting = false
      return task()
    })
  }
}
