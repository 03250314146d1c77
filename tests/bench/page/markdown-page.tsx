/** The page of `markdown-growth.ts`: renders a growing answer with the product's component and styles, and times each update with its layout. */
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { Markdown } from '../../../web/ui/markdown/markdown.tsx'
import { preloadMarkdown } from '../../../web/ui/markdown/renderer.ts'
import '../../../web/styles/index.css'

declare global {
  interface Window {
    /** Adds `added` to `before` in steps of `stepChars`. Milliseconds of each step. */
    grow(before: string, added: string, stepChars: number): Promise<number[]>
  }
}

const host = document.body.appendChild(document.createElement('main'))
host.style.width = '720px'

window.grow = async (before, added, stepChars) => {
  await preloadMarkdown()
  const root = createRoot(host)
  const show = (text: string): number => {
    const startMs = performance.now()
    flushSync(() => root.render(<Markdown text={text} isGrowing />))
    host.getBoundingClientRect()
    return performance.now() - startMs
  }
  show(before)
  const times: number[] = []
  for (let end = stepChars; end <= added.length; end += stepChars) {
    await new Promise((resolve) => setTimeout(resolve))
    times.push(show(before + added.slice(0, end)))
  }
  root.unmount()
  return times
}
