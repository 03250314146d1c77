/** Opens the find bar of the open thread, or moves the focus to it. */
import { maxFindChars } from '../../../../worker/contract/limits.ts'
import { findRequest, showMessageRequest } from '../../../lib/navigation.ts'
import { messageTextSelector } from './found-message.tsx'

/** The bar starts with a selected text of one line. */
export function openFind(): void {
  const text = selectedText()?.text ?? ''
  const { activeElement } = document
  showMessageRequest.set(null)
  findRequest.set({
    text: text.includes('\n') || text.length > maxFindChars ? '' : text,
    focused: activeElement?.closest('search') ? (findRequest.get()?.focused ?? null) : activeElement,
  })
}

/** True if the focus is in the thread, in its header or nowhere, and not in the field of the find bar. */
export function isFindKeyOurs(): boolean {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body) return true
  return (
    activeElement.closest('[role="log"], [data-composer], [data-thread-header], search') !== null && !activeElement.matches('[data-find]')
  )
}

/* The text that the user selected in one message. */

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
