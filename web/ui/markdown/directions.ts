/**
 * Sets the text direction of each block from its words. Containers use their first words; `dir="auto"` would skip
 * descendants with a `dir` attribute. Set only where it differs from the parent, so most answers have no attribute. Code and formulas do
 * not count.
 */
import type { Element, ElementContent, Root } from 'hast'

export type Direction = 'ltr' | 'rtl'

const leaves: ReadonlySet<string> = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'th', 'td'])
const blocks: ReadonlySet<string> = new Set([...leaves, 'ul', 'ol', 'li', 'blockquote', 'table'])

export function setDirections({ children }: Root | Element, around: Direction = 'ltr'): void {
  for (const child of children) {
    if (child.type !== 'element') continue
    const own = blocks.has(child.tagName) ? (directionOf(child) ?? around) : around
    child.properties.dir = own === around ? undefined : own
    if (!leaves.has(child.tagName)) setDirections(child, own)
  }
}

/** From the first letter with a direction. */
export function directionOf(node: ElementContent): Direction | null {
  if (node.type === 'text') {
    const letter = /\p{L}/u.exec(node.value)?.[0]
    return letter === undefined ? null : rightToLeft.test(letter) ? 'rtl' : 'ltr'
  }
  if (node.type !== 'element' || node.tagName === 'code') return null
  for (const child of node.children) {
    const direction = directionOf(child)
    if (direction) return direction
  }
  return null
}

/** Hebrew, Arabic and related scripts with their presentation forms, and the right-to-left scripts of the supplementary plane. */
export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
