/** The message selected from a search and its search words, until the thread has shown it and the user continues. */
import { createStore } from './store.ts'

export type FoundMessage = { readonly threadId: string; readonly messageId: string; readonly words: readonly string[] }

export const foundMessage = createStore<FoundMessage | null>(null)

/** Opening another thread discards the selection: a later return does not scroll to it. */
export function forgetFoundOutside(threadId: string | undefined): void {
  if (foundMessage.get()?.threadId !== threadId) foundMessage.set(null)
}
