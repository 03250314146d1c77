/** Text for money and credits. */
import type { ProPrice } from '../../worker/contract/pro-price.ts'

/** Cents always, and a third digit where a price has one: $25.00, $0.15, $0.435. */
export const formatDollars = (dollars: number): string =>
  dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 3 })

export const creditsText = (credits: number): string => `${credits} ${credits === 1 ? 'credit' : 'credits'}`

/** "$25.00", "€30.00", "¥3,500": Intl knows how many digits the smallest unit of a currency has. */
export function formatPrice({ unitAmount, currency }: ProPrice): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency })
  return format.format(unitAmount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}
