import type { ProPrice } from '../../worker/contract/organizations/pro-price.ts'
import { formatLocale } from './i18n/intl-format.ts'

/** "$25.00", "€30.00", "¥3,500": Intl has the number of digits of each currency. */
export function formatPrice({ unitAmount, currency }: ProPrice): string {
  const format = new Intl.NumberFormat(formatLocale(), { style: 'currency', currency })
  return format.format(unitAmount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2))
}
