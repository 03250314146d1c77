/** Text for money, credits and times. */
import { nextDayStartMs } from '../../worker/contract/access.ts'
import { formatNumber, formatTime } from './i18n/intl-format.ts'
import { libText } from './texts/en.ts'

/** The time of the next daily reset, in the user's time zone. */
export const resetTime = (nowMs: number): string => formatTime(nextDayStartMs(nowMs))

/** Cents always, and a third digit where a price has one: $25.00, $0.15, $0.435. */
export const formatDollars = (dollars: number): string =>
  formatNumber(dollars, { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 3 })

export const creditsText = (credits: number): string => libText('credits', { credits })
