/** The shortest of five times, because other processes only lengthen a time. */
const leastOf = (run: () => void): number => {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return Math.min(...times)
}

/** The ratio to the time for a simple text of the same length. Repeated reading makes it hundreds or thousands. */
export const timesAsLong = (hard: () => void, easy: () => void): number => leastOf(hard) / Math.max(leastOf(easy), 1)
