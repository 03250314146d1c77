/** Text for money, credits, sizes and times. */
import { nextDayStartMs } from '../../worker/contract/access.ts'
import type { ProPrice } from '../../worker/contract/pro-price.ts'

/** A readable size, for example 640 KB or 2.4 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'KB'] : [bytes / 1_000_000, 'MB']
  return `${value < 10 ? Math.max(0.1, Math.round(value * 10) / 10) : Math.round(value)} ${unit}`
}

/** The time of the next daily reset, in the user's time zone. */
export const resetTime = (nowMs: number): string =>
  new Date(nextDayStartMs(nowMs)).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' })

/** Cents always, and a third digit where a price has one: $25.00, $0.15, $0.435. */
export const formatDollars = (dollars: number): string =>
  dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 3 })

export const creditsText = (credits: number): string => `${credits} ${credits === 1 ? 'credit' : 'credits'}`

/** "$25.00", "€30.00", "¥3,500": Intl knows how many digits the smallest unit of a currency has. */
export function formatPrice({ unitAmount, currency }: ProPrice): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  return format.format(unitAmount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}
