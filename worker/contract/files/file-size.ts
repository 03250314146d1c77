/** The size of a file as the app and shared pages show it. Pure. */

/** For example 640 kB or 2.4 MB. */
export function formatBytesIn(locale: string, bytes: number): string {
  const format = (value: number, options: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(locale, { style: 'unit', ...options }).format(value)
  if (bytes < 1000) return format(bytes, { unit: 'byte', unitDisplay: 'long' })
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kilobyte'] : [bytes / 1_000_000, 'megabyte']
  return format(value, { unit, maximumFractionDigits: value < 10 ? 1 : 0 })
}
