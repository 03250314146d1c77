/**
 * A rehype plugin: each block stands in the direction of its own words, whatever the blocks around it are written in. What holds others goes
 * by the first words in it, which an attribute of "auto" would not do where those have a direction of their own. Set where it differs from
 * what is around it, so most answers need none. Code and formulas say nothing of the language of their sentence.
 */
import type { Element, ElementContent, Root } from 'hast'

type Direction = 'ltr' | 'rtl'

const leaves: ReadonlySet<string> = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'th', 'td'])
const blocks: ReadonlySet<string> = new Set([...leaves, 'ul', 'ol', 'li', 'blockquote', 'table'])

export const directions =
  () =>
  (tree: Root): void =>
    visit(tree, 'ltr')

function visit({ children }: Root | Element, around: Direction): void {
  for (const child of children) {
    if (child.type !== 'element') continue
    const own = blocks.has(child.tagName) ? (directionOf(child) ?? around) : around
    if (own !== around) child.properties.dir = own
    if (!leaves.has(child.tagName)) visit(child, own)
  }
}

/** By the first letter that has one. */
function directionOf(node: ElementContent): Direction | null {
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

/** Hebrew, Arabic and their neighbours, with the forms of their letters, and the scripts of the planes above that are written so. */
export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
