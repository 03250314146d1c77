/** Opens the find bar of the open thread, or moves the focus to it. */
import { maxFindChars } from '../../../../worker/contract/limits.ts'
import { findRequest, showMessageRequest } from '../../../lib/navigation.ts'
import { selectedText } from './selected-text.ts'

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

/** True if the focus is in the thread or nowhere, and not in the field of the find bar. */
export function isFindKeyOurs(): boolean {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body) return true
  return activeElement.closest('[role="log"], [data-composer], search') !== null && !activeElement.matches('[data-find]')
}
