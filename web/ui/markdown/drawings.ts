/** Diagrams as pictures, each drawn once for every theme it is seen in. What draws them is fetched with the first. */

export type Drawing =
  | { readonly kind: 'drawn'; readonly url: string; readonly width: number; readonly height: number; readonly name: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly name?: never }

/** As many as are on a long page; the one that was asked for longest ago goes first. */
const maxKept = 60
const kept = new Map<string, Drawing>()

const keyOf = (code: string, theme: string) => `${theme}\n${code}`

/** Without waiting, so that a diagram that was left and comes back moves nothing. */
export const drawnBefore = (code: string, theme: string): Drawing | null => kept.get(keyOf(code, theme)) ?? null

/** Null where the library is out of reach: whoever asks again tries again. */
export async function drawDiagram(code: string, theme: string): Promise<Drawing | null> {
  const key = keyOf(code, theme)
  const known = kept.get(key)
  if (known) return known
  let library: typeof import('./mermaid.ts')
  try {
    library = await import('./mermaid.ts')
  } catch {
    // The code can be read; the next diagram on screen asks again.
    return null
  }
  const drawing = await library.draw(code)
  kept.set(key, drawing)
  for (const oldest of kept.keys()) {
    if (kept.size <= maxKept) break
    kept.delete(oldest)
  }
  return drawing
}
