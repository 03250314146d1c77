/** The RPC calls of a user's `UserSync` object, and the call that ends readers at a `Generation` object. */
import type { FindInThread, FoundInThread } from './threads/find-in-thread.ts'
import type { FoundMessages, SearchRequest } from './threads/search.ts'

/** The ids of ended sessions. `all`: the user was deleted. */
export type EndedSessions = readonly string[] | 'all'

/** Null when the object has no rows, because the user never connected. */
export type SearchAnswer = FoundMessages | 'rate_limited' | null
export type FindAnswer = FoundInThread | 'rate_limited' | null

/** An open turn. `full`: too many readers wait already. Null when no commit opened it in time, or without rows of the user. */
export type AwaitedTurn = { readonly threadId: string; readonly objectId: string } | 'full' | null

export interface UserSyncCalls {
  /** `userId`: a queued message may start, so an object without connections reads D1 too (SPEC U5). */
  notify(userId?: string): Promise<void>
  endSessions(ended: EndedSessions): Promise<void>
  search(request: SearchRequest): Promise<SearchAnswer>
  findInThread(request: FindInThread): Promise<FindAnswer>
  /** The turn with this id; waits for the commit that opens it. */
  awaitTurn(generationId: string): Promise<AwaitedTurn>
}

export interface SessionEndCalls {
  endSessions(userId: string, ended: EndedSessions): void | Promise<void>
}
