/** Text for money, credits and times. */
import { nextDayStartMs } from '../../worker/contract/access.ts'
import type { ProPrice } from '../../worker/contract/organizations/pro-price.ts'
import { formatLocale, formatNumber, formatTime } from './i18n/intl-format.ts'
import { libText } from './texts/en.ts'

/** The time of the next daily reset, in the user's time zone. */
export const resetTime = (nowMs: number): string => formatTime(nextDayStartMs(nowMs))

/** Cents always, and a third digit where a price has one: $25.00, $0.15, $0.435. */
export const formatDollars = (dollars: number): string =>
  formatNumber(dollars, { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 3 })

export const creditsText = (credits: number): string => libText('credits', { credits })

/** "$25.00", "€30.00", "¥3,500": Intl has the number of digits of each currency. */
export function formatPrice({ unitAmount, currency }: ProPrice): string {
  const format = new Intl.NumberFormat(formatLocale(), { style: 'currency', currency })
  return format.format(unitAmount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}
