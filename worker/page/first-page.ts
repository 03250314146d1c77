/**
 * The first page of whoever is signed in: from KV when a hint of the last day is there, otherwise from the record. A thread that the hint
 * does not carry is read from the record.
 */
import type { PageSession } from '../auth/session.ts'
import type { FirstPage } from '../contract/first-page.ts'
import { readFirstPage, readThreadEnd } from '../db/first-page.ts'
import { type HintBindings, readHint } from '../db/first-page-hint.ts'
import type { DatabaseBindings } from '../db/shards.ts'

export type FirstPageSource = 'kv' | 'd1'

export async function firstPageFor(
  env: DatabaseBindings & HintBindings,
  { facts: session }: Pick<PageSession, 'facts'>,
  threadId: string | null,
  nowMs: number,
  { isFresh = false }: { readonly isFresh?: boolean } = {},
): Promise<{ readonly page: FirstPage; readonly source: FirstPageSource }> {
  const { userId } = session
  const hint = isFresh ? null : await readHint(env, userId, session.id, nowMs)
  if (!hint) {
    const { rows, thread } = await readFirstPage(env, userId, threadId, nowMs)
    return { page: { ...rows, session, thread }, source: 'd1' }
  }
  const thread = threadId === null ? null : hint.recent.find(({ id }) => id === threadId)
  return {
    page: { ...hint.rows, session, thread: thread === undefined ? await readThreadEnd(env, userId, threadId ?? '') : thread },
    source: 'kv',
  }
}
