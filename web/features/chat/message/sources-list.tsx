/**
 * The sources of an answer: cited numbers, pages that were read, and search results of which only an excerpt was read. Sources that the
 * model names and the server did not fetch have a separate heading.
 */
import { type ReactNode, useRef } from 'react'
import type { MessagePart, SourcePart } from '../../../../worker/contract/threads/messages.ts'
import { type Source, sourcesOf } from '../../../../worker/contract/threads/sources.ts'
import { useCitedNumbers } from '../../../ui/markdown/markdown.tsx'
import { safeHref } from '../../../ui/markdown/safe-url.ts'
import { useScrollEdges } from '../../../ui/use-scroll-edges.ts'
import { siteIn } from '../research/web-summary.ts'
import { segmentsOf } from './segments.ts'
import { t } from './texts/en.ts'

export function SourcesList({ parts }: { readonly parts: readonly MessagePart[] }) {
  const sources = sourcesOf(parts).filter(({ url }) => safeHref(url) !== null)
  const texts = segmentsOf(parts).flatMap((segment) => (segment.kind === 'text' ? [segment.text] : []))
  const numbers = useCitedNumbers(texts, sources)
  const cited = sources.filter(({ number }) => numbers.has(number))
  const named = namedSources(parts)
  if (cited.length + named.length === 0) return null
  return (
    <section aria-label={t('sources')} className="mt-4 flex flex-col gap-3 border-t border-border pt-3">
      <FetchedSources heading={t('sources')} sources={cited.filter(({ isRead }) => isRead)} />
      <FetchedSources heading={t('searchResults')} sources={cited.filter(({ isRead }) => !isRead)} />
      {named.length > 0 && (
        <SourceStrip heading={t('namedByModel')}>
          {named.map(({ url, title }) => (
            <SourceCard key={url} number={null} title={title || siteIn(url)} url={url} site={siteIn(url)} />
          ))}
        </SourceStrip>
      )}
    </section>
  )
}

function FetchedSources({ heading, sources }: { readonly heading: string; readonly sources: readonly Source[] }) {
  if (sources.length === 0) return null
  return (
    <SourceStrip heading={heading}>
      {sources.map(({ number, title, url, site }) => (
        <SourceCard key={number} number={number} title={title} url={url} site={site} />
      ))}
    </SourceStrip>
  )
}

function SourceStrip({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  const stripRef = useRef<HTMLOListElement>(null)
  useScrollEdges(stripRef)
  return (
    <div>
      <p className="text-xs font-medium text-muted-foreground">{heading}</p>
      <ol ref={stripRef} className="mt-1.5 flex scroll-fade-x gap-2 overflow-x-auto [scrollbar-width:none] print:flex-wrap">
        {children}
      </ol>
    </div>
  )
}

type SourceCardProps = { readonly number: number | null; readonly title: string; readonly url: string; readonly site: string }

const SourceCard = ({ number, title, url, site }: SourceCardProps) => (
  <li className="w-56 shrink-0">
    <a
      href={safeHref(url) ?? undefined}
      target="_blank"
      rel="noopener noreferrer"
      className="block rounded-lg border px-3 py-2 -outline-offset-2 transition-colors hover:bg-foreground/4"
    >
      <span className="block truncate text-sm">{title}</span>
      <span className="mt-0.5 flex items-center gap-1.5 text-xs text-muted-foreground">
        {/* The first letter of the site, because its icon would have to be requested from the site or from a third party. */}
        <span
          aria-hidden="true"
          className="flex size-4 shrink-0 items-center justify-center rounded-sm bg-foreground/8 font-medium text-foreground uppercase"
        >
          {site.slice(0, 1)}
        </span>
        {number !== null && <span className="shrink-0 tabular-nums">{number}</span>}
        <span className="truncate">{site}</span>
      </span>
    </a>
  </li>
)

/** Sources of a provider that searches on its servers; its answer does not number them. Each address appears once. */
export function namedSources(parts: readonly MessagePart[]): readonly SourcePart[] {
  const sources = parts.filter(
    (part): part is SourcePart => part.type === 'source-url' && 'sourceId' in part && safeHref(part.url) !== null,
  )
  return [...new Map(sources.map((source) => [source.url, source])).values()]
}
