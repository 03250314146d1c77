/**
 * Loads the first page of the signed-in user from the KV cache (valid for a day), otherwise from D1. A thread that the cache does not
 * contain is read from D1.
 */
import type { PageSession } from '../auth/session.ts'
import type { FirstPage } from '../contract/first-page.ts'
import { type FirstPageBindings, readCachedFirstPage, readFirstPage, readThreadEnd } from '../db/first-page.ts'
import type { DatabaseBindings } from '../db/shards.ts'

type FirstPageOrigin = 'kv' | 'd1'

export async function firstPageFor(
  env: DatabaseBindings & FirstPageBindings,
  { details: session }: Pick<PageSession, 'details'>,
  threadId: string | null,
  nowMs: number,
  { skipsCache = false }: { readonly skipsCache?: boolean } = {},
): Promise<{ readonly page: FirstPage; readonly source: FirstPageOrigin }> {
  const { userId } = session
  const cached = skipsCache ? null : await readCachedFirstPage(env, userId, session.id, nowMs)
  if (!cached) {
    const { rows, thread } = await readFirstPage(env, userId, threadId, nowMs)
    return { page: { ...rows, session, thread }, source: 'd1' }
  }
  const thread = threadId === null ? null : cached.recent.find(({ id }) => id === threadId)
  return {
    page: { ...cached.rows, session, thread: thread === undefined ? await readThreadEnd(env, cached, threadId ?? '', nowMs) : thread },
    source: 'kv',
  }
}
