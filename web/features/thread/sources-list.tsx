/** What an answer cites, under it: only numbers that a search or a page read gave. */
import type { MessagePart } from '../../../worker/contract/messages.ts'
import { textOf } from '../../../worker/contract/messages.ts'
import { sourcesOf } from '../../../worker/contract/tools.ts'
import { citedNumbers } from '../../ui/markdown/citations.ts'
import { safeHref } from '../../ui/markdown/safe-url.ts'

export function SourcesList({ parts }: { readonly parts: readonly MessagePart[] }) {
  const sources = citedSources(parts)
  if (sources.length === 0) return null
  return (
    <section aria-label="Sources" className="mt-4 border-t border-border pt-3">
      <h3 className="text-xs font-medium text-muted-foreground">Sources</h3>
      <ol className="mt-1.5 flex flex-col gap-1 text-sm">
        {sources.map(({ number, title, url, site }) => (
          <li key={number} className="flex min-w-0 items-baseline gap-2">
            <span className="w-4 shrink-0 text-right text-xs text-muted-foreground tabular-nums">{number}</span>
            <a
              href={safeHref(url) ?? undefined}
              target="_blank"
              rel="noopener noreferrer"
              className="min-w-0 truncate underline-offset-4 hover:underline"
            >
              {title}
            </a>
            <span className="shrink-0 text-xs text-muted-foreground">{site}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

export function citedSources(parts: readonly MessagePart[]): ReturnType<typeof sourcesOf> {
  const cited = new Set(citedNumbers(textOf({ parts })))
  return sourcesOf(parts).filter(({ number, url }) => cited.has(number) && safeHref(url) !== null)
}
