/** Resolves with `work`, or with `late()` after `waitMs`. A late `work` continues; its result is ignored. */
export async function within<T>(waitMs: number, work: Promise<T>, late: () => T): Promise<T> {
  const timeUp = Promise.withResolvers<void>()
  const timer = setTimeout(timeUp.resolve, waitMs)
  try {
    return await Promise.race([work, timeUp.promise.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
