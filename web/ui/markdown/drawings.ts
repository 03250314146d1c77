/** Diagrams as images, rendered once per theme. The library loads with the first one. */

export type Drawing =
  | { readonly kind: 'drawn'; readonly url: string; readonly width: number; readonly height: number; readonly name: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly name?: never }

type CacheEntry = { readonly pending: Promise<Drawing | null>; drawing: Drawing | null }

/** Chosen: as many as a long page has. The least recently requested one is evicted. */
const maxCached = 60
const cache = new Map<string, CacheEntry>()

const keyOf = (code: string, theme: string) => `${theme}\n${code}`

/** Synchronous, so that a diagram that mounts again does not shift the layout. */
export const cachedDrawing = (code: string, theme: string): Drawing | null => cache.get(keyOf(code, theme))?.drawing ?? null

/** Null if the library cannot be loaded; the next request retries. */
export function drawDiagram(code: string, theme: string): Promise<Drawing | null> {
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
