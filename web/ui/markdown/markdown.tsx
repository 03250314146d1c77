/**
 * An answer's text. The renderer is fetched once, early (`preloadMarkdown`); until it is here the text stands in the same
 * measure and spacing, so that little moves when it arrives.
 */
import { type ComponentType, useEffect, useSyncExternalStore } from 'react'
import './markdown.css'

type RichProps = { readonly text: string; readonly isGrowing: boolean }

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

type MarkdownProps = { readonly text: string; readonly isGrowing?: boolean; readonly className?: string }

export function Markdown({ text, isGrowing = false, className = '' }: MarkdownProps) {
  const Rich = useSyncExternalStore(
    subscribe,
    () => rich,
    () => rich,
  )
  useEffect(() => void preloadMarkdown(), [])
  return (
    <div className={`md ${className}`} dir="auto">
      {Rich ? <Rich text={text} isGrowing={isGrowing} /> : <PlainText text={text} />}
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
