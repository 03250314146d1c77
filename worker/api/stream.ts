/** GET /api/thread/:threadId/stream: the answer being written, as server-sent events from any number the reader names. */
import { viewerOf } from '../auth/session.ts'
import { verifySyncToken } from '../auth/token.ts'
import { namedAnswer, streamAnswer } from '../chat/read-stream.ts'
import { idSchema } from '../contract/ids.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleStream(c: AppContext): Promise<Response> {
  const threadId = idSchema.safeParse(c.req.param('threadId'))
  const early = threadId.success ? await streamByToken(c, threadId.data) : null
  if (early) return early
  const viewer = await viewerOf(c.req.raw, c.env, c.var.settings)
  if (!viewer) return refuseWith(c, 'session_required')
  if (!threadId.success) return refuseWith(c, 'not_found')
  return found(c, await streamAnswer(c.env, c.req.raw, { threadId: threadId.data, userId: viewer.userId }))
}

/**
 * A page that has just asked brings the token of its socket along, and where the answer is written it is known who was connected then: nobody
 * has to ask the record about the session while the first word is on its way. Null when that proves nothing: then the cookie does.
 */
async function streamByToken(c: AppContext, threadId: string): Promise<Response | null> {
  const [scheme, said] = (c.req.header('authorization') ?? '').split(' ')
  if (scheme !== 'Bearer' || namedAnswer(c.req.raw) === null) return null
  const token = await verifySyncToken(c.env, said)
  if ('refused' in token) return null
  const events = await streamAnswer(c.env, c.req.raw, { threadId, userId: token.userId, sessionId: token.sessionId })
  return events.status === 401 ? null : found(c, events)
}

const found = (c: AppContext, events: Response): Response => (events.status === 404 ? refuseWith(c, 'not_found') : events)
