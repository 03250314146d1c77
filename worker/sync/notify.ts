/**
 * The hint that somebody's rows have changed. Only a hint: a lost one is repaired by the next pull (connect, push, alarm), so it never
 * fails its caller.
 */
import { logger } from '../lib/logger.ts'

type SyncBindings = { readonly USER_SYNC: { getByName(userId: string): { notify(): Promise<void> } } }

export async function notify(env: SyncBindings, userIds: readonly string[]): Promise<void> {
  const hints = [...new Set(userIds)].map(async (userId) => {
    try {
      await env.USER_SYNC.getByName(userId).notify()
    } catch (error) {
      logger.error('notify failed', error, { userId })
    }
  })
  await Promise.all(hints)
}
