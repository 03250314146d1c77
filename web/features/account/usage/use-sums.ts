/** Sums of what was used: by key for a table, by day or month for a chart, and all rows as CSV. Pure. */
import { dayMs } from '../../../../worker/contract/access.ts'
import type { DailyUseRow } from '../../../sync/rows.ts'

export type Used = Omit<DailyUseRow, 'id' | 'userId'>
export type Sum = Pick<Used, 'credits' | 'searches' | 'tokens'>

const nothing: Sum = { credits: 0, searches: 0, tokens: 0 }

const plus = (a: Sum, b: Sum): Sum => ({
  credits: a.credits + b.credits,
  searches: a.searches + b.searches,
  tokens: a.tokens + b.tokens,
})

export const isUsed = ({ credits, searches, tokens }: Sum): boolean => credits !== 0 || searches !== 0 || tokens !== 0

export function sumsBy<Key>(rows: readonly Used[], keyOf: (row: Used) => Key): ReadonlyMap<Key, Sum> {
  const sums = new Map<Key, Sum>()
  for (const row of rows) sums.set(keyOf(row), plus(sums.get(keyOf(row)) ?? nothing, row))
  return sums
}

export const totalOf = (rows: readonly Used[]): Sum => rows.reduce(plus, nothing)

export const periods = ['days30', 'days90', 'months12'] as const
export type Period = (typeof periods)[number]

/** The first day of the month `count` months before that of `day`. UTC days since the epoch. */
export function monthBefore(day: number, count: number): number {
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - count) / dayMs
}

/** The first days of the bars of a period that ends today, oldest first: days, or the months of twelve months. */
export function barStarts(period: Period, today: number): readonly number[] {
  if (period === 'months12') return Array.from({ length: 12 }, (_, index) => monthBefore(today, 11 - index))
  const days = period === 'days30' ? 30 : 90
  return Array.from({ length: days }, (_, index) => today - days + 1 + index)
}

export type Bar = { readonly start: number; readonly sum: Sum }

/** Days outside of the period are left out. */
export function barsOf(rows: readonly Used[], starts: readonly number[]): readonly Bar[] {
  const sums = sumsBy(rows, ({ day }) => starts.findLastIndex((start) => start <= day))
  return starts.map((start, index) => ({ start, sum: sums.get(index) ?? nothing }))
}

/** The end of the axis: the smallest of 2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 50, 60, 80, 100 … that is not below the highest value. Its half is whole. */
export function axisEnd(highest: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(Math.max(1, highest)))
  const ends = [1, 1.2, 1.6, 2, 3, 4, 5, 6, 8].map((step) => step * magnitude)
  return ends.find((end) => end >= highest && end % 2 === 0) ?? 10 * magnitude
}

export const isoDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

type Names = { readonly model: (id: string) => string; readonly project: (id: string | null | undefined) => string }

const columns = [
  ...['date', 'model', 'model_id', 'project', 'project_id', 'credits', 'searches', 'tokens'],
  ...['known_cost_usd', 'requests_without_known_cost'],
] as const

/** RFC 4180. The byte order mark makes spreadsheets read it as UTF-8. */
export function csvOf(rows: readonly Used[], { model, project }: Names): string {
  const lines = rows.map(({ day, modelId, projectId, credits, searches, tokens, microDollars, unpriced }) =>
    [
      ...[
        isoDay(day),
        quoted(model(modelId)),
        quoted(modelId),
        quoted(projectId == null ? '' : project(projectId)),
        quoted(projectId ?? ''),
      ],
      ...[credits, searches, tokens, (microDollars / 1_000_000).toFixed(6), unpriced],
    ].join(','),
  )
  return `\uFEFF${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

/** A spreadsheet calculates a cell that begins with one of these, also after spaces. */
const formula = /^\s*[=+\-@\t\r＝＋－＠]/u

/** The apostrophe makes a spreadsheet show the text as it is. */
const quoted = (text: string): string => `"${formula.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`
