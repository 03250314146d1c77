/** Ages in the language of the page. */
import { formatDate, formatLocale } from './intl-format.ts'

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** From this age on, a date is shown. */
export const weekMs = 7 * 86_400_000

/** Such as "now" and "2 days ago" within a week, then the date. */
export function formatAge(atMs: number, nowMs: number): string {
  const passedMs = nowMs - atMs
  if (passedMs >= weekMs) return formatDate(atMs, 'medium')
  const [unit, unitMs] = units.find(([, ms]) => passedMs >= ms) ?? []
  const format = new Intl.RelativeTimeFormat(formatLocale(), { numeric: unit ? 'always' : 'auto' })
  return unit ? format.format(-Math.floor(passedMs / unitMs), unit) : format.format(0, 'second')
}
