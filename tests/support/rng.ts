/** Seeded randomness (mulberry32): the same seed gives the same history on every machine. */
export type Rng = {
  /** In [0, 1). */
  next(): number
  /** An integer in [0, bound). */
  below(bound: number): number
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
}

export function createRng(seed: number): Rng {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  function below(bound: number): number {
    return Math.floor(next() * bound)
  }
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new RangeError('nothing to pick from')
      // The index is within bounds.
      return from[below(from.length)] as T
    },
  }
}
