/**
 * POST /api/messages/search: finds the user's threads that contain a text. A POST, so that the text appears in no URL and therefore in no
 * log.
 */

import type { FoundMessages } from '../contract/search-request.ts'
import { searchThreads } from '../user-sync/rpc.ts'
import { type AppContext, refuseWith } from './http.ts'
import { searchRequestSchema } from './search-args.ts'
import { readViewer } from './viewer.ts'

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
