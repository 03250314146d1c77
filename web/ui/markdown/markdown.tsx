/**
 * An answer's text. The renderer is fetched once, early (`preloadMarkdown`); until it is here the text stands in the same
 * measure and spacing, so that little moves when it arrives.
 */
import { type ComponentType, useEffect, useSyncExternalStore } from 'react'
import type { CitedSource } from './citations.ts'
import { laterModule } from './later-module.ts'
import './markdown.css'

type RichProps = { readonly text: string; readonly isGrowing: boolean; readonly sources: readonly CitedSource[] }

const rich = laterModule<ComponentType<RichProps>>(() => import('./rich-markdown.tsx').then((module) => module.RichMarkdown))

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
  const Rich = useSyncExternalStore(rich.subscribe, rich.current, rich.current)
  useEffect(() => void preloadMarkdown(), [])
  return (
    <div className={`md ${className}`}>
      {Rich ? <Rich text={text} isGrowing={isGrowing} sources={sources} /> : <PlainText text={text} />}
    </div>
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
