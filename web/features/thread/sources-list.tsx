/**
 * What an answer rests on, under it: the numbers it cites, of those that a search or a page read gave. What its model says it used, which we
 * have not fetched, stands under a heading of its own.
 */
import type { ReactNode } from 'react'
import type { MessagePart, SourcePart } from '../../../worker/contract/messages.ts'
import { textOf } from '../../../worker/contract/messages.ts'
import { sourcesOf } from '../../../worker/contract/tools.ts'
import { citedNumbers } from '../../ui/markdown/citations.ts'
import { safeHref } from '../../ui/markdown/safe-url.ts'
import { siteIn } from './web-summary.ts'

export function SourcesList({ parts }: { readonly parts: readonly MessagePart[] }) {
  const sources = citedSources(parts)
  const named = namedSources(parts)
  if (sources.length + named.length === 0) return null
  return (
    <section aria-label="Sources" className="mt-4 flex flex-col gap-3 border-t border-border pt-3">
      {sources.length > 0 && (
        <SourceRows heading="Sources">
          {sources.map(({ number, title, url, site }) => (
            <SourceRow key={number} number={number} title={title} url={url} site={site} />
          ))}
        </SourceRows>
      )}
      {named.length > 0 && (
        <SourceRows heading="Named by the model">
          {named.map(({ url, title }) => (
            <SourceRow key={url} number={null} title={title || siteIn(url)} url={url} site={siteIn(url)} />
          ))}
        </SourceRows>
      )}
    </section>
  )
}

function SourceRows({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  return (
    <div>
      <p className="text-xs font-medium text-muted-foreground">{heading}</p>
      <ol className="mt-1.5 flex flex-col gap-1 text-sm">{children}</ol>
    </div>
  )
}

type SourceRowProps = { readonly number: number | null; readonly title: string; readonly url: string; readonly site: string }

function SourceRow({ number, title, url, site }: SourceRowProps) {
  return (
    <li className="flex min-w-0 items-baseline gap-2">
      <span className="w-4 shrink-0 text-right text-xs text-muted-foreground tabular-nums">{number ?? '·'}</span>
      {/* Where one line is too short for both, the title keeps it. */}
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <a
          href={safeHref(url) ?? undefined}
          target="_blank"
          rel="noopener noreferrer"
          className="max-w-full truncate underline-offset-4 hover:underline"
        >
          {title}
        </a>
        <span className="max-w-full truncate text-xs text-muted-foreground">{site}</span>
      </span>
    </li>
  )
}

/** What a vendor that searches by itself says it used; its answer has no numbers for them. Each address once. */
export function namedSources(parts: readonly MessagePart[]): readonly SourcePart[] {
  const sources = parts.filter(
    (part): part is SourcePart => part.type === 'source-url' && 'sourceId' in part && safeHref(part.url) !== null,
  )
  return [...new Map(sources.map((source) => [source.url, source])).values()]
}

export function citedSources(parts: readonly MessagePart[]): ReturnType<typeof sourcesOf> {
  const cited = new Set(citedNumbers(textOf({ parts })))
  return sourcesOf(parts).filter(({ number, url }) => cited.has(number) && safeHref(url) !== null)
}
