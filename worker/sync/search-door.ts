/** Asks a person's object for what was said in their threads; null when it has nothing of theirs, because no page of theirs was ever connected. */
import type { FoundMessages } from '../contract/found-text.ts'

type SyncBindings = { readonly USER_SYNC: { getByName(userId: string): { search(query: string): Promise<FoundMessages | null> } } }

export const searchOf = (env: SyncBindings, userId: string, query: string): Promise<FoundMessages | null> =>
  env.USER_SYNC.getByName(userId).search(query)
