/** Diagrams as pictures, each drawn once for every theme it is seen in. What draws them is fetched with the first. */

export type Drawing =
  | { readonly kind: 'drawn'; readonly url: string; readonly width: number; readonly height: number; readonly name: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly name?: never }

type Kept = { readonly pending: Promise<Drawing | null>; drawing: Drawing | null }

/** As many as are on a long page; the one that was asked for longest ago goes first. */
const maxKept = 60
const kept = new Map<string, Kept>()

const keyOf = (code: string, theme: string) => `${theme}\n${code}`

/** Without waiting, so that a diagram that was left and comes back moves nothing. */
export const drawnBefore = (code: string, theme: string): Drawing | null => kept.get(keyOf(code, theme))?.drawing ?? null

/** Null where the library is out of reach: whoever asks again tries again. */
export function drawDiagram(code: string, theme: string): Promise<Drawing | null> {
  const key = keyOf(code, theme)
  const known = kept.get(key) ?? begun(code, key)
  // A map keeps the order in which things came into it, so this one is the youngest again.
  kept.delete(key)
  kept.set(key, known)
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break
    kept.delete(oldest)
  }
  return known.pending
}

function begun(code: string, key: string): Kept {
  const own: Kept = { pending: draw(code), drawing: null }
  void own.pending.then((drawing) => {
    own.drawing = drawing
    // The code can be read; the next diagram on screen asks again.
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
