/** `GET /api/thread/{threadId}/stream`: finds the object that writes in this thread and lets it answer. */
import { idSchema } from '../contract/ids.ts'
import { readStream } from '../db/turn-endings.ts'
import type { Env } from '../env.ts'
import { generationRequest, lastChunkSeen, type StreamRequest } from './stream-request.ts'

type Asked = Pick<StreamRequest, 'threadId' | 'userId' | 'sessionId' | 'isSessionRead'>

/** The generation that the reader names. */
export const namedAnswer = (request: Request): string | null => new URL(request.url).searchParams.get('generation')

/**
 * `?generation=` names the answer, and the reader may arrive before the order. Without it the thread's running answer is read from D1.
 * 204 without a running answer or for the thread of another user; 401 if the token alone is not sufficient or the session has ended; 429 if the
 * answer has too many readers.
 */
export async function streamAnswer(env: Env, request: Request, { threadId, userId, ...session }: Asked): Promise<Response> {
  const named = namedAnswer(request)
  const turn = named === null ? await readStream(env, userId, threadId) : { generationId: named, writer: userId }
  if (turn === null) return new Response(null, { status: 204 })
  const { generationId, writer } = turn
  // An invalid id wakes no object.
  if (!idSchema.safeParse(generationId).success) return new Response(null, { status: 404 })
  const readerId = idSchema.safeParse(new URL(request.url).searchParams.get('reader')).data ?? ''
  const asked = { generationId, userId, threadId, after: lastChunkSeen(request), readerId, ...session }
  return env.GENERATION.getByName(writer).fetch(generationRequest(asked, request.signal))
}
