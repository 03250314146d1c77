/** What PRO costs a month, for a person and for a seat of an organization; and what it is set against: separate subscriptions. */
import { formatDollars } from './format-price.ts'

export const proPrice = formatDollars(25)
export const separatePrice = formatDollars(115)
