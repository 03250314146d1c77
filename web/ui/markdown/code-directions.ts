/**
 * Code is laid out from left to right, token by token, in whatever script its names and strings are written. Left to itself, a browser takes
 * two names in Hebrew and the operator between them for one phrase and turns it round; so what has a direction of its own stands apart
 * from what is around it. Inside a string or a comment, and in what is mostly prose, phrases stay phrases. Pure.
 */

import { rightToLeft } from './directions.ts'
import type { Token } from './highlight.ts'

/** What is uncoloured in them is somebody's sentence. */
const prose: ReadonlySet<string> = new Set(['markdown', 'latex', 'xml', 'diff'])

export type Piece = { readonly text: string; readonly isApart: boolean }

/** A name: what begins with such a letter, to the end of its letters, marks and digits. */
const names = new RegExp(`((?:${rightToLeft.source})[\\p{L}\\p{M}\\p{N}_]*)`, 'u')

/** `language`: the one it is coloured in; null for none. */
export function piecesOf({ scope, text }: Token, language: string | null): readonly Piece[] {
  if (!rightToLeft.test(text)) return [{ text, isApart: false }]
  if (scope !== null || language === null || prose.has(language)) return [{ text, isApart: true }]
  return text
    .split(names)
    .map((piece, at) => ({ text: piece, isApart: at % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}
