/**
 * The hint that somebody's rows have changed. Only a hint: a lost one is repaired by the next pull (connect, push, alarm), so it never
 * fails its caller.
 */
import { logger } from '../lib/logger.ts'

type SyncBindings = { readonly USER_SYNC: { getByName(userId: string): { notify(queueOf?: string): Promise<void> } } }

/** With `queue`, something that waits may begin by itself, and also an object that knows nothing of it has to look. */
export async function notify(env: SyncBindings, userIds: readonly string[], what: 'rows' | 'queue' = 'rows'): Promise<void> {
  const hints = [...new Set(userIds)].map(async (userId) => {
    try {
      await env.USER_SYNC.getByName(userId).notify(what === 'queue' ? userId : undefined)
    } catch (error) {
      logger.error('notify failed', error, { userId })
    }
  })
  await Promise.all(hints)
}
