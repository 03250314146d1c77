/** Finds the search words in the rendered text of a message, and highlights them. */
import type { TextRange } from '../../../lib/match-words.ts'

/** The message text, without reasoning and added notes. */
export const messageTextSelector = '[data-message-text], .md:not(.md-quiet)'
const skippedSelector = '.md-code-head, .katex, svg, button, .sr-only'
/** A word does not span two of these blocks; a phrase may. */
const blockSelector = 'p, li, h1, h2, h3, h4, h5, h6, td, th, pre, blockquote, [data-message-text], .md'

/**
 * The ranges of what `find` finds in the text of a rendered message. Skips text that is not displayed, for example formula sources and link
 * addresses.
 */
export function rangesIn(message: Element, find: (text: string) => readonly TextRange[]): readonly Range[] {
  const pieces: { readonly node: Text; readonly from: number }[] = []
  let text = ''
  let block: Element | null = null
  for (const element of message.querySelectorAll(messageTextSelector)) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode as Text
      if (node.parentElement?.closest(skippedSelector)) continue
      const own = node.parentElement?.closest(blockSelector) ?? null
      if (own !== block) text += '\n'
      block = own
      pieces.push({ node, from: text.length })
      text += node.data
    }
  }
  const put = (at: number, isEnd: boolean) => {
    // The end of a word may equal the end of a text node; its start never does.
    const index = pieces.findLastIndex(({ from }) => (isEnd ? from < at : from <= at))
    const piece = pieces[index]
    return piece && ([piece.node, at - piece.from] as const)
  }
  return find(text).flatMap(({ from, to }) => {
    const [start, end] = [put(from, false), put(to, true)]
    if (!start || !end) return []
    const range = new Range()
    range.setStart(...start)
    range.setEnd(...end)
    return [range]
  })
}

/** Older browsers have no highlights. */
export function highlight(name: string, ranges: readonly Range[]): void {
  if (!('highlights' in CSS)) return
  if (ranges.length > 0) CSS.highlights.set(name, new Highlight(...ranges))
  else CSS.highlights.delete(name)
}
