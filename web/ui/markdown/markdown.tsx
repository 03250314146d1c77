/**
 * An answer's text. The renderer is fetched once, early (`preloadMarkdown`); until it is here the text stands in the same
 * measure and spacing, so that little moves when it arrives.
 */
import { type ComponentType, useEffect, useMemo, useSyncExternalStore } from 'react'
import type { CitedSource } from './citations.ts'
import { laterModule } from './later-module.ts'
import './markdown.css'

type RichProps = { readonly text: string; readonly isGrowing: boolean; readonly sources: readonly CitedSource[] }

type Rich = {
  readonly RichMarkdown: ComponentType<RichProps>
  readonly citedNumbers: (text: string, sources: readonly CitedSource[]) => ReadonlySet<number>
}

const rich = laterModule<Rich>(() => import('./rich-markdown.tsx'))
const useRich = (): Rich | null => useSyncExternalStore(rich.subscribe, rich.current, rich.current)

export const preloadMarkdown = (): Promise<void> => rich.load()

type MarkdownProps = {
  readonly text: string
  readonly isGrowing?: boolean
  readonly className?: string
  /** What [1] and [2] in the text lead to. The same array for as long as nothing in it changes. */
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

/** Which of `sources` the pills in finished texts lead to; none until there are pills. */
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
