/** Micro-dollars per million tokens as people read them: $0.15, $5, $1.25. */
export function formatPrice(microDollars: number): string {
  const dollars = microDollars / 1_000_000
  return `$${Number.isInteger(dollars) ? dollars : dollars.toFixed(2)}`
}
