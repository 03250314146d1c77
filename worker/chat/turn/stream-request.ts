/**
 * `GET /api/thread/{threadId}/stream`: finds the Generation object that writes the answer, and sends it a request with the reader and the chunk
 * to start after. The object responds with the events.
 */
import type { Env } from '../../bindings.ts'
import { idSchema } from '../../contract/ids.ts'
import { streamWaitMs } from '../../contract/limits.ts'
import { isLiveSession } from '../../db/sessions.ts'
import { readRunningTurn, readTurn, type TurnRef } from '../../db/turns.ts'
import { generationStub } from '../../lib/generation-stub.ts'
import { logger } from '../../lib/logger.ts'
import { awaitTurn } from '../../user-sync/rpc.ts'

export type StreamRequest = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  readonly after: number
  readonly sessionId: string
  /** Chosen by the page once per load; empty if the client sends none. */
  readonly readerId: string
  /** True when D1 confirmed the session for this request. False for a token, which stays valid for minutes after its session. */
  readonly isSessionRead: boolean
  /** How long the reader may wait for the start command. */
  readonly waitMs: number
}

/** The number of the last chunk that the browser has: a header of an `EventSource`, a query parameter of our client. */
function lastChunkSeen(request: Request): number {
  const value = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '0'
  const number = Number(value)
  return Number.isSafeInteger(number) && number >= 0 ? number : 0
}

/** Internal: the host is not used. */
export function generationRequest({ after, isSessionRead, waitMs, ...names }: StreamRequest, signal: AbortSignal): Request {
  const query = new URLSearchParams({ ...names, after: String(after), isSessionRead: String(isSessionRead), waitMs: String(waitMs) })
  return new Request(`https://generation/stream?${query}`, { signal })
}

export function parseStreamRequest(request: Request): StreamRequest {
  const { searchParams } = new URL(request.url)
  const named = (name: string) => searchParams.get(name) ?? ''
  return {
    generationId: named('generationId'),
    userId: named('userId'),
    threadId: named('threadId'),
    after: lastChunkSeen(request),
    sessionId: named('sessionId'),
    readerId: named('readerId'),
    isSessionRead: named('isSessionRead') === 'true',
    waitMs: Number(named('waitMs')),
  }
}

export const streamResponse = (events: ReadableStream<Uint8Array>): Response =>
  new Response(events, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      // Tells proxies not to compress or buffer the stream.
      'content-encoding': 'identity',
      'x-accel-buffering': 'no',
    },
  })

type StreamReader = Pick<StreamRequest, 'threadId' | 'userId' | 'sessionId' | 'isSessionRead'>

/** `isAwaited`: the turn was not found at first, so the reader waited. `waitMs`: how long the reader may wait for the start command. */
type FoundTurn = TurnRef & { readonly isAwaited: boolean; readonly waitMs: number }

/** The generation that the reader names. */
export const namedAnswer = (request: Request): string | null => new URL(request.url).searchParams.get('generation')

/**
 * `?generation=` names the answer, and the reader may arrive before its row. Without it the thread's running answer is read from D1.
 * 204 without a running answer or for the thread of another user; 404 for an answer that does not exist or is another user's; 401 if the token
 * alone is not sufficient or the session has ended; 429 if the answer has too many readers.
 */
export async function streamAnswer(env: Env, request: Request, reader: StreamReader): Promise<Response> {
  const named = namedAnswer(request)
  if (named !== null && !idSchema.safeParse(named).success) return new Response(null, { status: 404 })
  const turn = named === null ? await runningTurn(env, reader) : await namedTurn(env, { ...reader, generationId: named })
  if (turn === 'full') return new Response(null, { status: 429 })
  if (turn === null) return new Response(null, { status: named === null ? 204 : 404 })
  const { generationId, objectId, isAwaited, waitMs } = turn
  // The session may have ended during the wait, and the new object has not been notified of it.
  if (reader.isSessionRead && isAwaited && !(await isLiveSession(env, reader))) return new Response(null, { status: 401 })
  const generation = generationStub(env.GENERATION, objectId)
  if (generation === null) return new Response(null, { status: 404 })
  const readerId = idSchema.safeParse(new URL(request.url).searchParams.get('reader')).data ?? ''
  return generation.fetch(generationRequest({ ...reader, generationId, after: lastChunkSeen(request), readerId, waitMs }, request.signal))
}

async function runningTurn(env: Env, { userId, threadId }: StreamReader): Promise<FoundTurn | null> {
  const turn = await readRunningTurn(env, userId, threadId)
  return turn && { ...turn, isAwaited: false, waitMs: streamWaitMs }
}

type NamedTurn = Pick<StreamRequest, 'userId' | 'threadId' | 'generationId'>

/** Reads D1. If the turn is not there, waits in the user's object, whose next commit may open the turn. */
async function namedTurn(env: Env, turn: NamedTurn): Promise<FoundTurn | 'full' | null> {
  const stored = await storedTurn(env, turn, false)
  if (stored) return stored
  const { userId, threadId, generationId } = turn
  const opened = await awaitTurn(env, userId, generationId).catch((error: unknown) => {
    logger.error('turn_not_awaited', error, { generationId })
    return null
  })
  // The turn may have ended before the object was asked.
  if (opened === null) return storedTurn(env, turn, true)
  if (opened === 'full') return 'full'
  return opened.threadId === threadId ? { generationId, objectId: opened.objectId, isAwaited: true, waitMs: streamWaitMs } : null
}

async function storedTurn(env: Env, turn: NamedTurn, isAwaited: boolean): Promise<FoundTurn | null> {
  const found = await readTurn(env, turn).catch((error: unknown) => {
    logger.error('turn_not_read', error, { generationId: turn.generationId })
    return null
  })
  return found && { ...found, isAwaited, waitMs: found.isOpen ? streamWaitMs : 0 }
}
