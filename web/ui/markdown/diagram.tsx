/**
 * A Mermaid diagram. The library loads with the first diagram whose fence is closed; until then, and if it fails, the code block is shown.
 * The result is an image, so scripts, links and addresses in it are inert. It opens large.
 */
import { ChartNetwork, CodeXml } from 'lucide-react'
import { type CSSProperties, memo, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useLatest } from '../../lib/use-stable.ts'
import { IconButton } from '../icon-button.tsx'
import { SectionErrorBoundary } from '../section-error-boundary.tsx'
import { CodeBlock, CodeHead } from './code-block.tsx'
import './diagram.css'
import { t } from './texts/en.ts'

const Lightbox = lazyPart(() => import('../lightbox.tsx').then((module) => module.Lightbox))

export const Diagram = memo(function Diagram({ code }: { readonly code: string }) {
  const theme = useThemeKey()
  const [drawing, setDrawing] = useState<Drawing | null>(() => cachedDrawing(code, theme))
  const [showsCode, setShowsCode] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const latest = useLatest(code)
  useEffect(() => {
    let isWanted = true
    // After a theme change, the old picture stays until the new one is rendered.
    void drawDiagram(code, theme).then((next) => {
      if (isWanted && next) setDrawing(next)
    })
    return () => {
      isWanted = false
    }
  }, [code, theme])

  if (drawing?.kind !== 'drawn') return <CodeBlock code={code} language="mermaid" note={drawing?.reason} />
  const toggle = (label: string, icon: ReactNode) => (
    <IconButton size="sm" label={label} onClick={() => setShowsCode(!showsCode)}>
      {icon}
    </IconButton>
  )
  if (showsCode) return <CodeBlock code={code} language="mermaid" action={toggle(t('showDiagram'), <ChartNetwork />)} />
  const { url, width, height, name, readableWidth } = drawing
  return (
    <div className="md-code">
      <CodeHead language="mermaid" code={latest} action={toggle(t('showCode'), <CodeXml />)} />
      <div className="md-diagram-scroller">
        {/* The keys scroll it while the focus is on the button. */}
        <button
          type="button"
          className="md-diagram"
          aria-label={t('openDiagram', { name })}
          style={{ '--readable-width': `${readableWidth}px` } as CSSProperties}
          onClick={() => setOpen(true)}
        >
          <img src={url} alt="" width={width} height={height} />
        </button>
      </div>
      {isOpen && (
        <SectionErrorBoundary part="image" onClose={() => setOpen(false)}>
          <Lightbox images={[{ url, name, isDrawing: true }]} at={0} onClose={() => setOpen(false)} />
        </SectionErrorBoundary>
      )}
    </div>
  )
})

const systemDark = () => matchMedia('(prefers-color-scheme: dark)')

const subscribe = (listener: () => void) => {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['class'] })
  const system = systemDark()
  system.addEventListener('change', listener)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', listener)
  }
}

const current = () => `${document.documentElement.className} ${systemDark().matches ? 'dark' : 'light'}`

/** A value that changes with the theme and mode, for content that does not use the stylesheet's colours. */
const useThemeKey = (): string => useSyncExternalStore(subscribe, current, () => '')

/* Diagrams as images, rendered once per theme. The library loads with the first one. */

export type Drawing =
  | {
      readonly kind: 'drawn'
      readonly url: string
      readonly width: number
      readonly height: number
      /** In pixels: a narrower picture would have labels that are too small to read. */
      readonly readableWidth: number
      readonly name: string
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly name?: never }

type CacheEntry = { readonly pending: Promise<Drawing | null>; drawing: Drawing | null }

/** Chosen: as many as a long page has. The least recently requested one is evicted. */
const maxCached = 60
const cache = new Map<string, CacheEntry>()

const keyOf = (code: string, theme: string) => `${theme}\n${code}`

/** Synchronous, so that a diagram that mounts again does not shift the layout. */
const cachedDrawing = (code: string, theme: string): Drawing | null => cache.get(keyOf(code, theme))?.drawing ?? null

/** Null if the library cannot be loaded; the next request retries. */
function drawDiagram(code: string, theme: string): Promise<Drawing | null> {
  const key = keyOf(code, theme)
  const cached = cache.get(key) ?? startDrawing(code, key)
  // A map keeps insertion order, so this entry becomes the newest.
  cache.delete(key)
  cache.set(key, cached)
  for (const oldest of cache.keys()) {
    if (cache.size <= maxCached) break
    cache.delete(oldest)
  }
  return cached.pending
}

function startDrawing(code: string, key: string): CacheEntry {
  const own: CacheEntry = { pending: draw(code), drawing: null }
  void own.pending.then((drawing) => {
    own.drawing = drawing
    // The code block stays; the next diagram retries.
    if (drawing === null && cache.get(key) === own) cache.delete(key)
  })
  return own
}

async function draw(code: string): Promise<Drawing | null> {
  let library: typeof import('./mermaid.ts')
  try {
    library = await import('./mermaid.ts')
  } catch {
    return null
  }
  return library.draw(code)
}
