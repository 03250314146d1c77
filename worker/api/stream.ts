/** GET /api/thread/:threadId/stream: a running answer as server-sent events, from any chunk number. */
import { verifySyncToken } from '../auth/token.ts'
import { namedAnswer, streamAnswer } from '../chat/turn/stream-request.ts'
import { idSchema } from '../contract/ids.ts'
import { readerReplacedAfterMs } from '../contract/limits.ts'
import { type AppContext, readViewer, refuseWith } from './http.ts'

export async function handleStream(c: AppContext): Promise<Response> {
  const threadId = idSchema.safeParse(c.req.param('threadId'))
  const early = threadId.success ? await streamByToken(c, threadId.data) : null
  if (early) return early
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  if (!threadId.success) return refuseWith(c, 'not_found')
  const { userId, sessionId } = viewer
  return answered(c, await streamAnswer(c.env, c.req.raw, { threadId: threadId.data, userId, sessionId, isSessionRead: true }))
}

/**
 * A page that has just sent a message adds its sync token. The `Generation` object has the sessions that were connected at that moment,
 * so the first chunk does not wait for D1. Null if the token is not sufficient; then the cookie decides.
 */
async function streamByToken(c: AppContext, threadId: string): Promise<Response | null> {
  const [scheme, credentials] = (c.req.header('authorization') ?? '').split(' ')
  if (scheme !== 'Bearer' || namedAnswer(c.req.raw) === null) return null
  const token = await verifySyncToken(c.env, credentials)
  if ('refused' in token) return null
  const { userId, sessionId } = token
  const events = await streamAnswer(c.env, c.req.raw, { threadId, userId, sessionId, isSessionRead: false })
  return events.status === 401 ? null : answered(c, events)
}

function answered(c: AppContext, events: Response): Response {
  if (events.status === 404) return refuseWith(c, 'not_found')
  // The session ended after the check above.
  if (events.status === 401) return refuseWith(c, 'session_required')
  if (events.status !== 429) return events
  c.header('retry-after', String(readerReplacedAfterMs / 1000))
  return refuseWith(c, 'too_many_readers')
}
