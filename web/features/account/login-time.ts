import { formatDate, formatRelative } from '../../lib/i18n/intl-format.ts'
import { t } from './texts/en.ts'

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** Relative within a week, then the date. */
export function loginTime(atMs: number, nowMs: number): string {
  const passedMs = nowMs - atMs
  if (passedMs < 60_000) return t('loggedInAge', { age: t('justNow') })
  if (passedMs >= 7 * 86_400_000) return t('loggedInOn', { date: formatDate(atMs, 'medium') })
  const [unit, ms] = units.find(([, unitMs]) => passedMs >= unitMs) ?? (['minute', 60_000] as const)
  return t('loggedInAge', { age: formatRelative(-Math.floor(passedMs / ms), unit) })
}
