/** Money and credits as people read them, the same everywhere. */

/** Cents always, and a third digit where a price has one: $25.00, $0.15, $0.435. */
export const formatDollars = (dollars: number): string =>
  dollars.toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: 2, maximumFractionDigits: 3 })

export const creditsText = (credits: number): string => `${credits} ${credits === 1 ? 'credit' : 'credits'}`
