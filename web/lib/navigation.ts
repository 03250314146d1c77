/** Where links and searches lead: back to the last thread, to a found message, and back from the login page. */

import { useLocation, useNavigate, useParams } from '@tanstack/react-router'
import { isModalOpen } from './shortcuts.ts'
import { createStore, useStore } from './store.ts'
import { hasKeyboard } from './viewport.ts'

/** The thread in the address. */
export const useOpenThreadId = (): string | undefined => useParams({ strict: false, select: ({ threadId }) => threadId })

/** The project in the address. */
export const useOpenProjectId = (): string | undefined => useParams({ strict: false, select: ({ projectId }) => projectId })

/** Opens a new thread with the focus in its text field: also on the page of a new thread, where the navigation mounts no composer. */
export function useOpenNewThread(): (search?: { readonly temporary?: true }) => void {
  const navigate = useNavigate()
  return (search = {}) => {
    focusTextField()
    // A dialog that is closing returns the focus to the element before it.
    void navigate({ to: '/', search }).then(focusTextField)
  }
}

function focusTextField(): void {
  if (hasKeyboard() && !isModalOpen()) document.querySelector<HTMLElement>('[data-composer] textarea')?.focus({ preventScroll: true })
}

/** The last thread shown in this tab, for the back link of the settings. Undefined means a new thread. */
export const lastThread = createStore<string | undefined>(undefined)

/** Target of "Back", for a router link. */
export function useBackLink() {
  const threadId = useStore(lastThread)
  return threadId === undefined ? { to: '/' as const } : { to: '/$threadId' as const, params: { threadId } }
}

/** The message selected from a search and its search words, until the thread has shown it and the user continues. */
type ShowMessageRequest = { readonly threadId: string; readonly messageId: string; readonly words: readonly string[] }

export const showMessageRequest = createStore<ShowMessageRequest | null>(null)

/** `text`: the first text to find. `focused`: gets the focus back when the bar closes. */
export type FindRequest = { readonly text: string; readonly focused: Element | null }

/** Opens the find bar of the thread, or moves the focus to it. Null while it is closed. */
export const findRequest = createStore<FindRequest | null>(null)

/** The message with the current result of the find bar. It is shown unfolded. */
export const currentFindMessageId = createStore<string | null>(null)

/** Opening another thread discards the selection: a later return does not scroll to it. */
export function clearFoundOutside(threadId: string | undefined): void {
  if (showMessageRequest.get()?.threadId !== threadId) showMessageRequest.set(null)
}

/** Query parameters of the login page that lead back to the current page. */
export function useLoginSearch(): { readonly callbackUrl?: string } {
  const path = useLocation({ select: ({ pathname }) => pathname })
  return path === '/' ? {} : { callbackUrl: path }
}
