/** Loads the renderer of Markdown, once. Separate from `markdown.tsx`, because every page loads this file. */
import type { ComponentType } from 'react'
import type { CitedSource } from './citations.ts'
import { lazyModule } from './lazy-module.ts'

type RichProps = { readonly text: string; readonly isGrowing: boolean; readonly sources: readonly CitedSource[] }

type Rich = {
  readonly RichMarkdown: ComponentType<RichProps>
  readonly citedNumbers: (text: string, sources: readonly CitedSource[]) => ReadonlySet<number>
}

export const renderer = lazyModule<Rich>(() => import('./rich-markdown.tsx'))

export const preloadMarkdown = (): Promise<void> => renderer.load()
