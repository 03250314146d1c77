/** `GET /api/thread/{threadId}/stream`: finds the object that writes in this thread and lets it answer. */
import { idSchema } from '../contract/ids.ts'
import { writerOf } from '../contract/turn.ts'
import { readStream } from '../db/turn-endings.ts'
import type { Env } from '../env.ts'
import { generationRequest, lastChunkSeen } from './stream-request.ts'

/** `sessionId` of a token, when nobody has looked yet whether that session still is. */
type Asked = { readonly threadId: string; readonly userId: string; readonly sessionId?: string }

/** The answer whose reader comes for it by name. */
export const namedAnswer = (request: Request): string | null => new URL(request.url).searchParams.get('generation')

/**
 * `?generation=` names the answer directly, and the reader may come before the order does, to where this person's answers are written;
 * without it the thread says which one is being written. 204 when none is, or the thread is not theirs: then the synced rows are all there is to know.
 * 401 when a token alone does not prove enough.
 */
export async function streamAnswer(env: Env, request: Request, { threadId, userId, sessionId }: Asked): Promise<Response> {
  const named = namedAnswer(request)
  const turn = named === null ? await readStream(env, userId, threadId) : { generationId: named, writer: userId }
  if (turn === null) return new Response(null, { status: 204 })
  const { generationId } = turn
  // An id that cannot be one of ours wakes no object.
  if (!idSchema.safeParse(generationId).success) return new Response(null, { status: 404 })
  const asked = { generationId, userId, threadId, after: lastChunkSeen(request), sessionId }
  return env.GENERATION.getByName(writerOf(turn)).fetch(generationRequest(asked, request.signal))
}
