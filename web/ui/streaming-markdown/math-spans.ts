/**
 * Estimates the positions of formulas, for the rendering of an unfinished end. Linear: each character is read once for each kind of opener,
 * because the search for an end stops at the next opener of its kind.
 */
import { isFormula, maxFormulaChars, mayHaveMath, type Opener } from './math-rules.ts'

export type MathSpans = {
  /** The text with finished formulas replaced by blanks, at the same length. */
  readonly bare: string
  /** The start of an open formula, -1 if there is none. A single dollar starts none: it may be money. */
  readonly openAt: number
}

export const mathSpans = (text: string): MathSpans => {
  if (!mayHaveMath(text) && !text.includes('$$')) return { bare: text, openAt: -1 }
  const parts: string[] = []
  let copied = 0
  let openAt = -1
  let at = 0
  while (at < text.length) {
    const opener = openerAt(text, at)
    if (opener === null) {
      at += text[at] === '\\' ? 2 : Math.max(1, dollarsAt(text, at))
      continue
    }
    const end = endOf(text, opener, at + opener.length)
    if (end.kind === 'none') {
      if (opener !== '$' && openAt === -1) openAt = at
      at += opener.length
    } else if (end.kind === 'found') {
      const after = end.at + opener.length
      const isOne = isFenced(text, at, opener) || isFormula(opener, text.slice(at + opener.length, end.at), text.charAt(after))
      if (isOne) {
        parts.push(text.slice(copied, at), 'x'.repeat(after - at))
        copied = after
      }
      // A rejected formula with two dollars is two prices; neither starts a formula.
      at = isOne || opener === '$$' ? after : at + opener.length
    } else {
      at += opener.length
    }
  }
  return { bare: parts.join('') + text.slice(copied), openAt }
}

/** The number of adjacent dollars at this index. */
const dollarsAt = (text: string, at: number): number => {
  let end = at
  while (text[end] === '$') end += 1
  return end - at
}

const openerAt = (text: string, at: number): Opener | null => {
  if (text[at] === '\\') {
    const next = text[at + 1]
    return next === '(' || next === '[' ? `\\${next}` : null
  }
  if (text[at] !== '$' || /[\w$]/.test(text.charAt(at - 1))) return null
  if (text[at + 1] !== '$') return '$'
  return text[at + 2] === '$' ? null : '$$'
}

/** `stopped`: it certainly has no end; the search continues at the character that stopped it. */
type End = { readonly kind: 'found'; readonly at: number } | { readonly kind: 'stopped' } | { readonly kind: 'none' }

const endOf = (text: string, opener: Opener, from: number): End => {
  for (let at = from; at < text.length; at += 1) {
    if (at - from > maxFormulaChars) return { kind: 'stopped' }
    const char = text.charAt(at)
    if (char === '\\') {
      const pair = text.slice(at, at + 2)
      if (pair === opener) return { kind: 'stopped' }
      if ((opener === '\\(' && pair === '\\)') || (opener === '\\[' && pair === '\\]')) return { kind: 'found', at }
      at += 1
    } else if (opener === '$') {
      if (char === '\n' || char === '`') return { kind: 'stopped' }
      if (char === '$') return text[at + 1] === '$' ? { kind: 'stopped' } : { kind: 'found', at }
    } else if (opener === '$$' && char === '$' && text[at + 1] === '$') {
      return text[at + 2] === '$' ? { kind: 'stopped' } : { kind: 'found', at }
    }
  }
  return { kind: 'none' }
}

/** A block formula may contain anything. */
const isFenced = (text: string, at: number, opener: Opener): boolean =>
  opener === '$$' && /(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, at - 4), at)) && /^[ \t]*$/.test(lineAfter(text, at + opener.length))

const lineAfter = (text: string, at: number): string => {
  const end = text.indexOf('\n', at)
  return text.slice(at, end === -1 ? text.length : end)
}
