/**
 * Renders the text of an answer. Until the renderer is loaded, plain text is shown with the same width and spacing, so that little moves.
 */
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import type { CitedSource } from './citations.ts'
import { preloadMarkdown, renderer } from './renderer.ts'

const useRich = () => useSyncExternalStore(renderer.subscribe, renderer.current, renderer.current)

type MarkdownProps = {
  readonly text: string
  readonly isGrowing?: boolean
  readonly className?: string
  /** The sources of [1] and [2]. The same array while nothing in it changes. */
  readonly sources?: readonly CitedSource[]
}

const noSources: readonly CitedSource[] = []

export function Markdown({ text, isGrowing = false, className = '', sources = noSources }: MarkdownProps) {
  const Rich = useRich()?.RichMarkdown
  useEffect(() => void preloadMarkdown(), [])
  return (
    <div className={`md ${className}`}>
      {Rich ? <Rich text={text} isGrowing={isGrowing} sources={sources} /> : <PlainText text={text} />}
    </div>
  )
}

/** The subset of `sources` that the pills in finished texts link to; empty without pills. */
export function useCitedNumbers(texts: readonly string[], sources: readonly CitedSource[]): ReadonlySet<number> {
  const citedNumbers = useRich()?.citedNumbers
  return useMemo(
    () => new Set(citedNumbers && sources.length > 0 ? texts.flatMap((text) => [...citedNumbers(text, sources)]) : []),
    [citedNumbers, texts, sources],
  )
}

function PlainText({ text }: { readonly text: string }) {
  return text.split(/\n{2,}/).map((paragraph, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs of plain text have no identity but their place
    <p key={index} dir="auto" className="whitespace-pre-wrap">
      {paragraph}
    </p>
  ))
}
