/** Ages in the language of the page. */
import { formatDate } from './format-dates.ts'
import { formatLocale } from './intl-format.ts'

export const minuteMs = 60_000

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', minuteMs],
] as const

/** From this age on, a date is shown. */
const weekMs = 7 * 86_400_000

/** Such as "now" and "2 days ago" within a week, then the date. */
export function formatAge(atMs: number, nowMs: number): string {
  const passedMs = nowMs - atMs
  if (passedMs >= weekMs) return formatDate(atMs, 'medium')
  const [unit, unitMs] = units.find(([, ms]) => passedMs >= ms) ?? []
  const format = new Intl.RelativeTimeFormat(formatLocale(), { numeric: unit ? 'always' : 'auto' })
  return unit ? format.format(-Math.floor(passedMs / unitMs), unit) : format.format(0, 'second')
}

/** Such as "in 4 hours": rounded up, so that nothing is promised too early. */
export function formatWait(waitMs: number): string {
  const [unit, unitMs] = units.find(([, ms]) => waitMs > ms) ?? ['minute', minuteMs]
  return new Intl.RelativeTimeFormat(formatLocale(), { numeric: 'always' }).format(Math.max(1, Math.ceil(waitMs / unitMs)), unit)
}

type AgeTexts = {
  readonly justNow: () => string
  readonly age: (age: string) => string
  readonly date: (date: string) => string
}

/** A sentence that contains an age: `justNow` within the first minute, `age` within a week, then `date`. */
export function ageText(atMs: number, nowMs: number, { justNow, age, date }: AgeTexts): string {
  const passedMs = nowMs - atMs
  if (passedMs < minuteMs) return justNow()
  return (passedMs < weekMs ? age : date)(formatAge(atMs, nowMs))
}
