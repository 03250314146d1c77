/** The text that the user selected in one message. */
import { messageTextSelector } from './found-words.ts'

type SelectedText = { readonly text: string; readonly range: Range }

/** Null without a selection in the text of a message, and for one that spans several messages. */
export function selectedText(): SelectedText | null {
  const selection = document.getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  const messageOf = (node: Node) => elementOf(node)?.closest('[data-message]') ?? null
  const message = messageOf(range.startContainer)
  if (!message || !elementOf(range.startContainer)?.closest(messageTextSelector)) return null
  // A triple click selects up to the start of the next block, which may be in another message.
  if (range.endOffset > 0 && messageOf(range.endContainer) !== message) return null
  const text = selection.toString().trim()
  return text === '' ? null : { text, range }
}

const foundRanges = new WeakSet<Range>()

/** Selects the current result when the find bar closes. */
export function selectFound(range: Range): void {
  foundRanges.add(range)
  document.getSelection()?.removeAllRanges()
  document.getSelection()?.addRange(range)
}

/** True for the range that `selectFound` selected. The browser creates a new range when the user changes the selection. */
export const isFound = (range: Range): boolean => foundRanges.has(range)

const elementOf = (node: Node): Element | null => (node instanceof Element ? node : node.parentElement)
