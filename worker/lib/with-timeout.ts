/** Resolves with `work`, or with `onTimeout()` after `waitMs`. A late `work` continues; its result is ignored. */
export async function withTimeout<T>(waitMs: number, work: Promise<T>, onTimeout: () => T): Promise<T> {
  const timeUp = Promise.withResolvers<void>()
  const timer = setTimeout(timeUp.resolve, waitMs)
  try {
    return await Promise.race([work, timeUp.promise.then(onTimeout)])
  } finally {
    clearTimeout(timer)
  }
}
