/** Calls from the Worker, and from other objects, to the `UserSync` object of a user. */
import type { FindRequest, FoundMessages } from '../contract/found-text.ts'
import { openTurnsOf } from '../db/remove-person.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { logger } from '../lib/logger.ts'

type UserSyncCalls = {
  notify(userId?: string): Promise<void>
  endSessions(ended: EndedSessions): Promise<void>
  search(request: FindRequest): Promise<SearchAnswer>
}

type Calls<Name extends keyof UserSyncCalls> = { readonly USER_SYNC: { getByName(userId: string): Pick<UserSyncCalls, Name> } }

/**
 * Tells the objects of users that their rows changed. A lost call is repaired by the next pull (connect, push, alarm), so it never fails its
 * caller. `queue`: a queued message may start, so an object without connections reads D1 too (SPEC U5).
 */
export async function notify(env: Calls<'notify'>, userIds: readonly string[], what: 'rows' | 'queue' = 'rows'): Promise<void> {
  const calls = [...new Set(userIds)].map((userId) =>
    logged('notify failed', userId, () => env.USER_SYNC.getByName(userId).notify(what === 'queue' ? userId : undefined)),
  )
  await Promise.all(calls)
}

/** `all` when the user was deleted. */
type EndedSessions = readonly string[] | 'all'

type EndBindings = DatabaseBindings &
  Calls<'endSessions'> & {
    readonly GENERATION: { getByName(writer: string): { endSessions(userId: string, ended: EndedSessions): Promise<void> } }
  }

/**
 * Ends the sockets and answer streams of ended sessions. A failed call is logged and never fails the sign-out: sockets then stay open until
 * their tokens expire, at most 15 minutes, and streams until their answers end.
 */
export async function endSessions(env: EndBindings, userId: string, ended: EndedSessions): Promise<void> {
  const end = (call: () => Promise<unknown>) => logged('end of sessions not sent', userId, call)
  const endReaders = (writer: string) => end(() => env.GENERATION.getByName(writer).endSessions(userId, ended))
  await Promise.all([
    end(() => env.USER_SYNC.getByName(userId).endSessions(ended)),
    endReaders(userId),
    end(async () => {
      // An answer that the user started as a guest is written in the guest's object.
      const writers = new Set((await openTurnsOf(env, userId)).map(({ writer }) => writer))
      writers.delete(userId)
      await Promise.all([...writers].map(endReaders))
    }),
  ])
}

/** Null when the object has no rows, because the user never connected. */
export type SearchAnswer = FoundMessages | 'rate_limited' | null

export const searchThreads = (env: Calls<'search'>, userId: string, request: FindRequest): Promise<SearchAnswer> =>
  env.USER_SYNC.getByName(userId).search(request)

async function logged(event: string, userId: string, call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (error) {
    logger.error(event, error, { userId })
  }
}
