/**
 * Code is laid out from left to right token by token, in any script. Without isolation, a browser treats two Hebrew names and the operator
 * between them as one right-to-left phrase and reorders them. Right-to-left tokens are therefore isolated. Strings, comments and
 * mostly-prose languages keep the natural order. No side effects.
 */

import { rightToLeft } from './directions.ts'
import type { Token } from './highlight.ts'

/** Their uncoloured text is prose. */
const prose: ReadonlySet<string> = new Set(['markdown', 'latex', 'xml', 'diff'])

type Piece = { readonly text: string; readonly isIsolated: boolean }

/** A name that starts with a right-to-left letter, up to the end of its letters, marks and digits. */
const names = new RegExp(`((?:${rightToLeft.source})[\\p{L}\\p{M}\\p{N}_]*)`, 'u')

/** `language`: the highlighting language; null for none. */
export function piecesOf({ className, text }: Token, language: string | null): readonly Piece[] {
  if (!rightToLeft.test(text)) return [{ text, isIsolated: false }]
  if (className !== null || language === null || prose.has(language)) return [{ text, isIsolated: true }]
  return text
    .split(names)
    .map((piece, at) => ({ text: piece, isIsolated: at % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}
