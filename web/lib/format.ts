/** Text for money and credits. */
import { formatNumber } from './i18n/intl-format.ts'
import { libText } from './texts/en.ts'

/** Cents always, and a third digit where a price has one: $25.00, $0.15, $0.435. */
export const formatDollars = (dollars: number): string =>
  formatNumber(dollars, { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 3 })

export const creditsText = (credits: number): string => libText('credits', { credits })
