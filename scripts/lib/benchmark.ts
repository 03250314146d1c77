// What a module of tests/bench/ exports, and what the runner gives it.
import type { Product } from '../../tests/support/product.ts'

/** One figure at one size. `floor` is the best this machine could do, measured in the same run; null where there is no such thing. */
export type Point = { readonly at: string | number; readonly value: number; readonly floor: number | null }

export type BenchContext = {
  /** The built product, started once and shared by all benchmarks that do not ask for one of their own. */
  product(): Promise<Product>
  /** Something to stop when the run ends, however it ends. */
  atEnd(stop: () => Promise<void>): void
}

export type Benchmark = {
  /** As in the list of targets: S1, T1 … */
  readonly id: string
  readonly name: string
  readonly unit: string
  readonly target: string
  run(context: BenchContext): Promise<readonly Point[]>
}

export type Figures = Omit<Benchmark, 'run'> & { readonly points: readonly Point[] }

/** Values wide enough to compare by eye; the ratio to the floor is what survives a change of machine. */
export function table(figures: readonly Figures[]): string {
  const rows = figures.flatMap(({ id, name, unit, target, points }) =>
    points.map(({ at, value, floor }) => [
      id,
      name,
      String(at),
      `${round(value)} ${unit}`,
      floor === null ? '' : `${round(floor)} ${unit}`,
      floor === null ? '' : `${round(value / floor)}x`,
      target,
    ]),
  )
  const all = [['id', 'what', 'at', 'value', 'floor', 'ratio', 'target'], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const round = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString())
