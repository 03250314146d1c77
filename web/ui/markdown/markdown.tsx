/**
 * An answer's text. The renderer is fetched once, early (`preloadMarkdown`); until it is here the text stands in the same
 * measure and spacing, so that little moves when it arrives.
 */
import { type ComponentType, useEffect, useSyncExternalStore } from 'react'
import type { CitedSource } from './citations.ts'
import './markdown.css'

type RichProps = { readonly text: string; readonly isGrowing: boolean; readonly sources: readonly CitedSource[] }

let rich: ComponentType<RichProps> | null = null
let loading: Promise<void> | null = null
const listeners = new Set<() => void>()

export function preloadMarkdown(): Promise<void> {
  loading ??= import('./rich-markdown.tsx').then(
    (module) => {
      rich = module.RichMarkdown
      for (const listener of listeners) listener()
    },
    () => {
      // Plain text can be read; the next answer on screen asks again.
      loading = null
    },
  )
  return loading
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

type MarkdownProps = {
  readonly text: string
  readonly isGrowing?: boolean
  readonly className?: string
  /** What [1] and [2] in the text lead to. The same array for as long as nothing in it changes. */
  readonly sources?: readonly CitedSource[]
}

const noSources: readonly CitedSource[] = []

export function Markdown({ text, isGrowing = false, className = '', sources = noSources }: MarkdownProps) {
  const Rich = useSyncExternalStore(
    subscribe,
    () => rich,
    () => rich,
  )
  useEffect(() => void preloadMarkdown(), [])
  return (
    <div className={`md ${className}`} dir="auto">
      {Rich ? <Rich text={text} isGrowing={isGrowing} sources={sources} /> : <PlainText text={text} />}
    </div>
  )
}

function PlainText({ text }: { readonly text: string }) {
  return text.split(/\n{2,}/).map((paragraph, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: paragraphs of plain text have no identity but their place
    <p key={index} className="whitespace-pre-wrap">
      {paragraph}
    </p>
  ))
}
