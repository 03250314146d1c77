// What a module of tests/bench/ exports, what the runner gives it, and how the figures are shown.
import type { Product } from '../../tests/support/product.ts'

/** What a value is held to: itself, as a multiple of its floor, or as a distance from it. */
export type Bound =
  | { readonly most: number }
  | { readonly least: number }
  | { readonly timesFloor: number }
  | { readonly overFloor: number }

/** One figure at one size. `floor` is the best this machine could do, measured in the same run; null where there is no such thing. */
export type Point = {
  readonly at: string | number
  readonly value: number
  readonly floor: number | null
  /** Where it is not the benchmark's own. */
  readonly unit?: string
  /** 95 % confidence interval of the value, by bootstrap. */
  readonly ci?: readonly [number, number]
  readonly mustHold?: Bound
  readonly moonshot?: Bound
}

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
  run(context: BenchContext): Promise<readonly Point[]>
}

export type Figures = Omit<Benchmark, 'run'> & { readonly points: readonly Point[] }

export function isMet(bound: Bound, value: number, floor: number | null): boolean {
  if ('most' in bound) return value <= bound.most
  if ('least' in bound) return value >= bound.least
  if (floor === null) return false
  return 'timesFloor' in bound ? value <= bound.timesFloor * floor : value - floor <= bound.overFloor
}

/** Values wide enough to compare by eye; the ratio to the floor is what survives a change of machine. */
export function table(figures: readonly Figures[]): string {
  const rows = figures.flatMap(({ id, name, unit, points }) =>
    points.map((point) => {
      const { at, value, floor, ci, unit: own = unit } = point
      return [
        id,
        name,
        String(at),
        `${round(value)} ${own}`,
        ci ? `${round(ci[0])}–${round(ci[1])}` : '',
        floor === null ? '' : `${round(floor)} ${own}`,
        floor === null || floor === 0 ? '' : `${round(value / floor)}x`,
        verdict(point, point.mustHold, own),
        verdict(point, point.moonshot, own),
      ]
    }),
  )
  const all = [['id', 'what', 'at', 'value', '95 % CI', 'floor', 'ratio', 'must hold', 'moonshot'], ...rows]
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

const verdict = ({ value, floor }: Point, bound: Bound | undefined, unit: string): string =>
  bound ? `${inWords(bound, unit)} ${isMet(bound, value, floor) ? 'met' : 'MISSED'}` : ''

function inWords(bound: Bound, unit: string): string {
  if ('most' in bound) return `≤ ${bound.most} ${unit}`
  if ('least' in bound) return `≥ ${bound.least} ${unit}`
  return 'timesFloor' in bound ? `≤ ${bound.timesFloor.toFixed(2)}x floor` : `≤ floor + ${bound.overFloor} ${unit}`
}

/** Milliseconds of the echo on the machine that the targets were set on. */
const referenceEchoMs = 0.026
const mostTimesReference = 1.5

export type MachineFacts = {
  readonly echoMs: { readonly before: number; readonly after: number; readonly reference: number }
  /** False: the machine was too slow for a figure of this run to mean anything. */
  readonly counts: boolean
}

/** By the slower of the two: what the machine was like in between, nobody knows better. */
export const machineFacts = (before: number, after: number): MachineFacts => ({
  echoMs: { before, after, reference: referenceEchoMs },
  counts: Math.max(before, after) <= mostTimesReference * referenceEchoMs,
})

export function machineInWords({ echoMs: { before, after, reference }, counts }: MachineFacts): string {
  const measured = `echo of 100 bytes over loopback: ${before.toFixed(3)} ms before, ${after.toFixed(3)} ms after, reference ${reference} ms`
  return counts
    ? measured
    : `${measured}\nWARNING: this run does not count: the echo took more than ${mostTimesReference} times the reference`
}

const round = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString())
