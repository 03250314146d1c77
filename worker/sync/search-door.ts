/** Asks a person's object for what was said in their threads. */
import type { FindRequest, FoundMessages } from '../contract/found-text.ts'

/** Null when it has nothing of theirs, because no page of theirs was ever connected. */
export type SearchAnswer = FoundMessages | 'rate_limited' | null

type SyncBindings = { readonly USER_SYNC: { getByName(userId: string): { search(asked: FindRequest): Promise<SearchAnswer> } } }

export const searchOf = (env: SyncBindings, userId: string, asked: FindRequest): Promise<SearchAnswer> =>
  env.USER_SYNC.getByName(userId).search(asked)
