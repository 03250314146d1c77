/**
 * The sources of an answer: cited numbers, pages that were read, and search results of which only an excerpt was read. Sources that the
 * model names and the server did not fetch have a separate heading.
 */
import { type ReactNode, useMemo } from 'react'
import type { MessagePart, SourcePart } from '../../../../worker/contract/messages.ts'
import { type Source, sourcesOf } from '../../../../worker/contract/tools.ts'
import { useCitedNumbers } from '../../../ui/markdown/markdown.tsx'
import { safeHref } from '../../../ui/markdown/safe-url.ts'
import { siteIn } from '../research/web-summary.ts'
import { segmentsOf } from './segments.ts'
import { t } from './texts/t.ts'

export function SourcesList({ parts }: { readonly parts: readonly MessagePart[] }) {
  const sources = useMemo(() => sourcesOf(parts).filter(({ url }) => safeHref(url) !== null), [parts])
  const texts = useMemo(() => segmentsOf(parts).flatMap((segment) => (segment.kind === 'text' ? [segment.text] : [])), [parts])
  const numbers = useCitedNumbers(texts, sources)
  const cited = sources.filter(({ number }) => numbers.has(number))
  const named = namedSources(parts)
  if (cited.length + named.length === 0) return null
  return (
    <section aria-label={t('sources')} className="mt-4 flex flex-col gap-3 border-t border-border pt-3">
      <FetchedRows heading={t('sources')} sources={cited.filter(({ isRead }) => isRead)} />
      <FetchedRows heading={t('searchResults')} sources={cited.filter(({ isRead }) => !isRead)} />
      {named.length > 0 && (
        <SourceRows heading={t('namedByModel')}>
          {named.map(({ url, title }) => (
            <SourceRow key={url} number={null} title={title || siteIn(url)} url={url} site={siteIn(url)} />
          ))}
        </SourceRows>
      )}
    </section>
  )
}

function FetchedRows({ heading, sources }: { readonly heading: string; readonly sources: readonly Source[] }) {
  if (sources.length === 0) return null
  return (
    <SourceRows heading={heading}>
      {sources.map(({ number, title, url, site }) => (
        <SourceRow key={number} number={number} title={title} url={url} site={site} />
      ))}
    </SourceRows>
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
      {/* If one line is too short for both, the title keeps it. */}
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

/** Sources of a provider that searches on its servers; its answer does not number them. Each address appears once. */
export function namedSources(parts: readonly MessagePart[]): readonly SourcePart[] {
  const sources = parts.filter(
    (part): part is SourcePart => part.type === 'source-url' && 'sourceId' in part && safeHref(part.url) !== null,
  )
  return [...new Map(sources.map((source) => [source.url, source])).values()]
}
