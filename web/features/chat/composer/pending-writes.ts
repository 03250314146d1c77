/** The writes of drafts on their way to the server. */
import { createStores } from '../../../lib/store.ts'

type Writes = { readonly count: number; readonly text: string }

/**
 * By draft key: the writes of this page without an outcome, and the text of the last one. A sent message is a write of the empty text, because
 * it ends its draft. Null without such writes.
 */
export const writesOf = createStores<Writes | null>(() => null).of

export async function trackWrite<T>(key: string, text: string, outcome: Promise<T>): Promise<T> {
  const store = writesOf(key)
  store.set({ count: (store.get()?.count ?? 0) + 1, text })
  try {
    return await outcome
  } finally {
    const { count, text: last } = store.get() ?? { count: 1, text }
    store.set(count > 1 ? { count: count - 1, text: last } : null)
  }
}
