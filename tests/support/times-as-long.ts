/** Milliseconds. The shortest of five times, because other processes only lengthen a time. */
const shortestMs = (run: () => void): number => {
  const times = Array.from({ length: 5 }, () => {
    const start = performance.now()
    run()
    return performance.now() - start
  })
  return Math.min(...times)
}

/** How many times as long `hard` takes as `easy`. A time below 1 ms counts as 1 ms. Quadratic work makes the ratio hundreds or more. */
export const timesAsLong = (hard: () => void, easy: () => void): number => shortestMs(hard) / Math.max(shortestMs(easy), 1)
