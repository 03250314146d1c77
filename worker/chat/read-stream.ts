/** `GET /api/thread/{threadId}/stream`: finds the generation that writes in this thread and lets it answer. */
import { idSchema } from '../contract/ids.ts'
import { readStreamId } from '../db/turn-endings.ts'
import type { Env } from '../env.ts'
import { generationRequest, lastChunkSeen } from './stream-request.ts'

type Asked = { readonly threadId: string; readonly userId: string }

/**
 * `?generation=` names the answer directly, and the reader may come before the order does; without it the thread says which one is
 * being written. 204 when none is, or the thread is not theirs: then the synced rows are all there is to know.
 */
export async function readStream(env: Env, request: Request, { threadId, userId }: Asked): Promise<Response> {
  const named = new URL(request.url).searchParams.get('generation')
  const generationId = named ?? (await readStreamId(env, userId, threadId))
  if (generationId === null) return new Response(null, { status: 204 })
  // An id that cannot be one of ours wakes no object.
  if (!idSchema.safeParse(generationId).success) return new Response(null, { status: 404 })
  const generation = env.GENERATION.get(env.GENERATION.idFromName(generationId))
  return generation.fetch(generationRequest({ userId, threadId, after: lastChunkSeen(request) }, request.signal))
}
