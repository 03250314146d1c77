/**
 * POST /api/messages/search: finds the user's threads that contain a text. A POST, so that the text appears in no URL and therefore in no
 * log.
 */
import type { FoundInThread } from '../contract/threads/find-in-thread.ts'
import type { FoundMessages } from '../contract/threads/search.ts'
import { findInThread, searchThreads } from '../user-sync/rpc.ts'
import { type AppContext, readViewer, refuseWith } from './http.ts'
import { findInThreadSchema, searchRequestSchema } from './search-args.ts'

export async function handleSearch(c: AppContext): Promise<Response> {
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const parsed = searchRequestSchema.safeParse(await c.req.json().catch(() => null))
  if (!parsed.success) return refuseWith(c, 'invalid_request')
  const answer = await searchThreads(c.env, viewer.userId, parsed.data)
  if (answer === 'rate_limited') return refuseWith(c, answer)
  const found: FoundMessages = answer ?? { found: [], isComplete: false, isCut: false }
  return c.json(found)
}

/** POST /api/messages/find: counts a text in a message of a thread and in those above it. A POST for the reason given in search.ts. */
export async function handleFindInThread(c: AppContext): Promise<Response> {
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const parsed = findInThreadSchema.safeParse(await c.req.json().catch(() => null))
  if (!parsed.success) return refuseWith(c, 'invalid_request')
  const answer = await findInThread(c.env, viewer.userId, parsed.data)
  if (answer === 'rate_limited') return refuseWith(c, answer)
  const found: FoundInThread = answer ?? { found: [], next: null }
  return c.json(found)
}
