/** Dates, times, numbers and lists in the language of the page, with the regional conventions of the browser. */
import { loadedLanguage } from './language.ts'

/** Chromium on Linux can report `en-US@posix`, which `Intl` rejects. */
function isValid(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length > 0
  } catch {
    return false
  }
}

// Every text of the page needs its locale.
const browserLocales = typeof navigator === 'undefined' ? [] : (navigator.languages ?? []).filter(isValid)

/** The browser's first locale of the current language, such as `en-GB`, else the language itself. */
export function formatLocale(): string {
  const { language } = loadedLanguage.get()
  return browserLocales.find((locale) => locale.split('-')[0] === language) ?? language
}

export const formatNumber = (value: number, options?: Intl.NumberFormatOptions): string =>
  new Intl.NumberFormat(formatLocale(), options).format(value)

export const formatDate = (atMs: number, dateStyle: 'long' | 'medium'): string =>
  new Intl.DateTimeFormat(formatLocale(), { dateStyle }).format(atMs)

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

const weekMs = 7 * 86_400_000

/** Such as "now" and "2 days ago" within a week, then the date. */
export function formatAge(atMs: number, nowMs: number): string {
  const passedMs = nowMs - atMs
  if (passedMs >= weekMs) return formatDate(atMs, 'medium')
  const [unit, unitMs] = units.find(([, ms]) => passedMs >= ms) ?? []
  if (!unit) return new Intl.RelativeTimeFormat(formatLocale(), { numeric: 'auto' }).format(0, 'second')
  return formatRelative(-Math.floor(passedMs / unitMs), unit)
}

/** Hours and minutes. */
export const formatTime = (atMs: number): string => new Intl.DateTimeFormat(formatLocale(), { timeStyle: 'short' }).format(atMs)

export const formatList = (items: readonly string[], type: Intl.ListFormatType = 'conjunction'): string =>
  new Intl.ListFormat(formatLocale(), { type }).format(items)

/** Negative `value`: in the past. */
export const formatRelative = (value: number, unit: Intl.RelativeTimeFormatUnit): string =>
  new Intl.RelativeTimeFormat(formatLocale(), { numeric: 'always' }).format(value, unit)

/** Whole binary megabytes, rounded up, like the limits. */
export const formatLimitBytes = (bytes: number): string => formatNumber(Math.ceil(bytes / 1024 / 1024), { style: 'unit', unit: 'megabyte' })
