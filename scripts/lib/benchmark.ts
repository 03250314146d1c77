// Types of a benchmark module in tests/bench/, and the formatting of its figures.
import type { Product } from '../../tests/support/product.ts'

/** The limit of a value: absolute, as a multiple of its floor, or as a distance from it. */
type Bound = { readonly most: number } | { readonly least: number } | { readonly timesFloor: number } | { readonly overFloor: number }

/** One figure at one size. `floor` is the best value of this machine, measured in the same run. Null if there is none. */
export type Point = {
  readonly at: string | number
  readonly value: number
  readonly floor: number | null
  /** Overrides the unit of the benchmark. */
  readonly unit?: string
  /** 95 % confidence interval of the value, by bootstrap. */
  readonly ci?: readonly [number, number]
  readonly mustHold?: Bound
  readonly moonshot?: Bound
}

export type BenchContext = {
  /** The built product, started once and shared by the benchmarks that start no server of their own. */
  product(): Promise<Product>
  /** Registers cleanup that runs at the end, also after an error. */
  atEnd(stop: () => Promise<void>): void
}

export type Benchmark = {
  /** Id in the list of targets: S1, T1 … */
  readonly id: string
  readonly name: string
  readonly unit: string
  run(context: BenchContext): Promise<readonly Point[]>
}

export type Figures = Omit<Benchmark, 'run'> & { readonly points: readonly Point[] }

function isMet(bound: Bound, value: number, floor: number | null): boolean {
  if ('most' in bound) return value <= bound.most
  if ('least' in bound) return value >= bound.least
  if (floor === null) return false
  return 'timesFloor' in bound ? value <= bound.timesFloor * floor : value - floor <= bound.overFloor
}

/** Formats a table. The ratio to the floor is comparable across machines. */
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
  bound ? `${describeBound(bound, unit)} ${isMet(bound, value, floor) ? 'met' : 'MISSED'}` : ''

function describeBound(bound: Bound, unit: string): string {
  if ('most' in bound) return `≤ ${bound.most} ${unit}`
  if ('least' in bound) return `≥ ${bound.least} ${unit}`
  return 'timesFloor' in bound ? `≤ ${bound.timesFloor.toFixed(2)}x floor` : `≤ floor + ${bound.overFloor} ${unit}`
}

/** Milliseconds of the echo on the reference machine of the targets. */
const referenceEchoMs = 0.026
const mostTimesReference = 1.5

export type MachineDescription = {
  readonly echoMs: { readonly before: number; readonly after: number; readonly reference: number }
  /** False if the machine was too slow for meaningful figures. */
  readonly counts: boolean
}

/** Uses the slower of the two measurements, because the speed in between is unknown. */
export const describeMachine = (before: number, after: number): MachineDescription => ({
  echoMs: { before, after, reference: referenceEchoMs },
  counts: Math.max(before, after) <= mostTimesReference * referenceEchoMs,
})

export function machineInWords({ echoMs: { before, after, reference }, counts }: MachineDescription): string {
  const measured = `echo of 100 bytes over loopback: ${before.toFixed(3)} ms before, ${after.toFixed(3)} ms after, reference ${reference} ms`
  return counts
    ? measured
    : `${measured}\nWARNING: this run does not count: the echo took more than ${mostTimesReference} times the reference`
}

const round = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString())
