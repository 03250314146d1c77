/**
 * Figures from samples. Medians, because the machine is shared; alternating blocks of both sides, because its load changes during a run.
 */
import type { Point } from '../../scripts/lib/benchmark.ts'
import { createRng } from '../support/rng.ts'

/** `share` between 0 and 1; nearest rank. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5)

/** Milliseconds of each run, in sequence; the first `warmUps` are dropped. */
export const timeEach = async (count: number, run: (index: number) => Promise<void>, warmUps = 5): Promise<number[]> => {
  const samples: number[] = []
  for (let index = -warmUps; index < count; index++) {
    const startMs = performance.now()
    await run(index)
    if (index >= 0) samples.push(performance.now() - startMs)
  }
  return samples
}

export type Blocks = readonly (readonly number[])[]

/** Alternates blocks of each side, so that changes of the machine affect all sides. */
export async function interleave<Side extends string>(
  blocks: number,
  sides: { readonly [S in Side]: (block: number) => Promise<readonly number[]> },
): Promise<{ readonly [S in Side]: Blocks }> {
  const names = Object.keys(sides) as Side[]
  const taken = Object.fromEntries(names.map((name) => [name, [] as (readonly number[])[]])) as Record<Side, (readonly number[])[]>
  for (let block = 0; block < blocks; block++) for (const name of names) taken[name].push(await sides[name](block))
  return taken
}

/** For the median, the median of the blocks' medians. For other percentiles a block has too few samples, so all samples count together. */
export const figure = (blocks: Blocks, share = 0.5): number =>
  share === 0.5 ? median(blocks.map(median)) : percentile(blocks.flat(), share)

const resamples = 400

/** Bootstrap over blocks and over the samples in them, from a fixed seed. */
export function confidence(blocks: Blocks, share = 0.5): readonly [number, number] {
  const rng = createRng(1)
  const again = <T>(from: readonly T[]): readonly T[] => from.map(() => rng.pick(from))
  const figures = Array.from({ length: resamples }, () => figure(again(blocks).map(again), share))
  return [percentile(figures, 0.025), percentile(figures, 0.975)]
}

/** The p50 or p99 of the product compared with the floor. */
export const pointOf = (
  at: string | number,
  ours: Blocks,
  floor: Blocks | null,
  { share = 0.5, ...bounds }: Pick<Point, 'mustHold' | 'moonshot' | 'unit'> & { readonly share?: number } = {},
): Point => ({ at, value: figure(ours, share), floor: floor && figure(floor, share), ci: confidence(ours, share), ...bounds })
