/** POST /api/messages/find: counts a text in a message of a thread and in those above it. A POST for the reason given in search.ts. */
import type { FoundInThread } from '../contract/find-in-thread.ts'
import { findInThread } from '../user-sync/rpc.ts'
import { type AppContext, refuseWith } from './http.ts'
import { findInThreadSchema } from './search-args.ts'
import { readViewer } from './viewer.ts'

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
