/**
 * The end of sessions, told to the object that holds their sockets. A call that fails leaves sockets open until their tokens run out, at
 * most a quarter of an hour; it never fails the sign-out that it belongs to.
 */
import { logger } from '../lib/logger.ts'

type SyncBindings = {
  readonly USER_SYNC: { getByName(userId: string): { endSessions(sessionIds: readonly string[] | 'all'): Promise<void> } }
}

export async function endSessions(env: SyncBindings, userId: string, sessionIds: readonly string[] | 'all'): Promise<void> {
  try {
    await env.USER_SYNC.getByName(userId).endSessions(sessionIds)
  } catch (error) {
    logger.error('end of sessions not told', error, { userId })
  }
}
