/** Diagrams as images, rendered once per theme. The library loads with the first one. */

export type Drawing =
  | { readonly kind: 'drawn'; readonly url: string; readonly width: number; readonly height: number; readonly name: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly name?: never }

type CacheEntry = { readonly pending: Promise<Drawing | null>; drawing: Drawing | null }

/** Chosen: as many as a long page has. The least recently requested one is evicted. */
const maxKept = 60
const kept = new Map<string, CacheEntry>()

const keyOf = (code: string, theme: string) => `${theme}\n${code}`

/** Synchronous, so that a diagram that mounts again does not shift the layout. */
export const cachedDrawing = (code: string, theme: string): Drawing | null => kept.get(keyOf(code, theme))?.drawing ?? null

/** Null if the library cannot be loaded; the next request retries. */
export function drawDiagram(code: string, theme: string): Promise<Drawing | null> {
  const key = keyOf(code, theme)
  const known = kept.get(key) ?? startDrawing(code, key)
  // A map keeps insertion order, so this entry becomes the newest.
  kept.delete(key)
  kept.set(key, known)
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break
    kept.delete(oldest)
  }
  return known.pending
}

function startDrawing(code: string, key: string): CacheEntry {
  const own: CacheEntry = { pending: draw(code), drawing: null }
  void own.pending.then((drawing) => {
    own.drawing = drawing
    // The code block stays; the next diagram retries.
    if (drawing === null && kept.get(key) === own) kept.delete(key)
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
