/** Calls from the Worker and from other objects to the `UserSync` object of a user. */
import type { FindInThread } from '../contract/threads/find-in-thread.ts'
import type { SearchRequest } from '../contract/threads/search.ts'
import type { AwaitedTurn, EndedSessions, FindAnswer, SearchAnswer, SessionEndCalls, UserSyncCalls } from '../contract/user-sync-calls.ts'
import { readableTurnsOf } from '../db/delete-user.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { generationStub, type ObjectNamespace } from '../lib/generation-stub.ts'
import { logger } from '../lib/logger.ts'

type Calls<Name extends keyof UserSyncCalls> = { readonly USER_SYNC: { getByName(userId: string): Pick<UserSyncCalls, Name> } }

/**
 * Notifies the objects of users that their rows changed. The next pull (connect, push, alarm) repairs a lost call, so a failure never fails
 * the caller. `queue`: a queued message may start, so an object without connections also reads D1 (SPEC U5).
 */
export async function notify(env: Calls<'notify'>, userIds: readonly string[], what: 'rows' | 'queue' = 'rows'): Promise<void> {
  const calls = [...new Set(userIds)].map((userId) =>
    logged('notify_failed', userId, () => env.USER_SYNC.getByName(userId).notify(what === 'queue' ? userId : undefined)),
  )
  await Promise.all(calls)
}

type EndBindings = DatabaseBindings &
  Calls<'endSessions'> & {
    readonly GENERATION: ObjectNamespace<SessionEndCalls>
  }

/**
 * Closes the sockets and answer streams of ended sessions. A failed call is logged and never fails the sign-out: sockets then stay open
 * until their tokens expire, at most 15 minutes, and streams until their answers end. False if a call failed.
 */
export async function endSessions(env: EndBindings, userId: string, ended: EndedSessions): Promise<boolean> {
  const end = (call: () => unknown) => logged('session_end_not_sent', userId, call)
  // Runs first: a turn that opens after the reads below then no longer admits these sessions.
  const hasEndedSockets = await end(() => env.USER_SYNC.getByName(userId).endSessions(ended))
  const hasEndedStreams = await end(async () => {
    const turns = await readableTurnsOf(env, userId, Date.now())
    await Promise.all(turns.map(({ objectId }) => end(async () => generationStub(env.GENERATION, objectId)?.endSessions(userId, ended))))
  })
  return hasEndedSockets && hasEndedStreams
}

export const searchThreads = (env: Calls<'search'>, userId: string, request: SearchRequest): Promise<SearchAnswer> =>
  env.USER_SYNC.getByName(userId).search(request)

export const findInThread = (env: Calls<'findInThread'>, userId: string, request: FindInThread): Promise<FindAnswer> =>
  env.USER_SYNC.getByName(userId).findInThread(request)

export const awaitTurn = (env: Calls<'awaitTurn'>, userId: string, generationId: string): Promise<AwaitedTurn> =>
  env.USER_SYNC.getByName(userId).awaitTurn(generationId)

/** False if the call failed. */
async function logged(event: string, userId: string, call: () => unknown): Promise<boolean> {
  try {
    await call()
    return true
  } catch (error) {
    logger.error(event, error, { userId })
    return false
  }
}
