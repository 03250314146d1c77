/** The message that somebody looked up and chose, and the words they looked for: until its thread has shown it and they have gone on. */
import { createStore } from '../lib/store.ts'

export type FoundMessage = { readonly threadId: string; readonly messageId: string; readonly words: readonly string[] }

export const foundMessage = createStore<FoundMessage | null>(null)

/** Whoever has gone to another thread, or to a new one, is not led to it when they come back. */
export function forgetFoundOutside(threadId: string | undefined): void {
  if (foundMessage.get()?.threadId !== threadId) foundMessage.set(null)
}
