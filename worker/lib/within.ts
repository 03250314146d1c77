/** What `work` comes to, or after `waitMs` what `late` says. The work goes on, and nobody hears of it. */
export async function within<T>(waitMs: number, work: Promise<T>, late: () => T): Promise<T> {
  const timeUp = Promise.withResolvers<void>()
  const timer = setTimeout(timeUp.resolve, waitMs)
  try {
    return await Promise.race([work, timeUp.promise.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
