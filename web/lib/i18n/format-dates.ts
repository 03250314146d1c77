/** Dates, times and lists in the language of the page. Not in `intl-format.ts`, which belongs to the first load of every page. */
import { formatLocale } from './intl-format.ts'

export const formatDate = (atMs: number, dateStyle: 'long' | 'medium'): string =>
  new Intl.DateTimeFormat(formatLocale(), { dateStyle }).format(atMs)

export const formatList = (items: readonly string[]): string => new Intl.ListFormat(formatLocale(), { type: 'conjunction' }).format(items)

/** Hours and minutes. */
export const formatTime = (atMs: number): string => new Intl.DateTimeFormat(formatLocale(), { timeStyle: 'short' }).format(atMs)
