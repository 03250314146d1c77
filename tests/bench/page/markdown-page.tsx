/** The page of `markdown-growth.ts`: renders a growing answer with the product's component and styles, and times each update with its layout. */
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { Markdown } from '../../../web/ui/markdown/markdown.tsx'
import { preloadMarkdown } from '../../../web/ui/markdown/renderer.ts'
import '../../../web/styles/index.css'

declare global {
  interface Window {
    /** Milliseconds of each update of `stepChars`, from `startChars` on. */
    grow(text: string, startChars: number, stepChars: number, steps: number): Promise<number[]>
  }
}

const host = document.body.appendChild(document.createElement('main'))
host.style.width = '720px'

window.grow = async (text, startChars, stepChars, steps) => {
  await preloadMarkdown()
  const root = createRoot(host)
  const show = (chars: number): number => {
    const startMs = performance.now()
    flushSync(() => root.render(<Markdown text={text.slice(0, chars)} isGrowing />))
    host.getBoundingClientRect()
    return performance.now() - startMs
  }
  show(startChars)
  const times: number[] = []
  for (let step = 1; step <= steps; step += 1) {
    await new Promise((resolve) => setTimeout(resolve))
    times.push(show(startChars + step * stepChars))
  }
  root.unmount()
  return times
}
