/** Figures from samples. Medians, because the machine is shared. */

/** `share` between 0 and 1; nearest rank. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

/** Milliseconds each run took, one after the other; the first `warmUps` are not kept. */
export const timeEach = async (count: number, run: (index: number) => Promise<void>, warmUps = 10): Promise<number[]> => {
  const samples: number[] = []
  for (let index = -warmUps; index < count; index++) {
    const startMs = performance.now()
    await run(index)
    if (index >= 0) samples.push(performance.now() - startMs)
  }
  return samples
}
