/** An age such as "2 hours ago". Loads after the first paint. */
import { formatAge } from '../lib/i18n/format-age.ts'
import { useServerNow } from '../lib/server-clock.ts'

export const Age = ({ atMs }: { readonly atMs: number }) => (
  <span className="shrink-0 text-xs text-muted-foreground">{formatAge(atMs, useServerNow())}</span>
)
