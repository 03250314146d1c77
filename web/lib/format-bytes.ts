/** A readable size, for example 640 KB or 2.4 MB. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const [value, unit] = bytes < 1_000_000 ? [bytes / 1000, 'KB'] : [bytes / 1_000_000, 'MB']
  return `${value < 10 ? Math.max(0.1, Math.round(value * 10) / 10) : Math.round(value)} ${unit}`
}
