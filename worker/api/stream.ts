/** GET /api/thread/:threadId/stream: the answer being written, as server-sent events from any number the reader names. */
import { viewerOf } from '../auth/session.ts'
import { streamAnswer } from '../chat/read-stream.ts'
import { idSchema } from '../contract/ids.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleStream(c: AppContext): Promise<Response> {
  const viewer = await viewerOf(c.req.raw, c.env, c.var.settings)
  if (!viewer) return refuseWith(c, 'session_required')
  const threadId = idSchema.safeParse(c.req.param('threadId'))
  if (!threadId.success) return refuseWith(c, 'not_found')
  const events = await streamAnswer(c.env, c.req.raw, { threadId: threadId.data, userId: viewer.userId })
  return events.status === 404 ? refuseWith(c, 'not_found') : events
}
