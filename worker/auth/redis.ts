/** The one way to Redis: Upstash's HTTP protocol. */
import { Redis } from '@upstash/redis'
import * as z from 'zod'
import type { Settings } from '../env.ts'
import { boundedJson } from '../lib/bounded-body.ts'

type Place = NonNullable<Settings['redis']>

class RedisError extends Error {
  override readonly name = 'RedisError'
}

/** The package reads whole answers of any length by itself, so it is given what asks for it. */
export const connectRedis = (place: Place): Redis =>
  // Its type leaves to whoever calls what a result is; ours are parsed where they are used.
  new Redis({ request: async <Result>({ body }: { body?: unknown }) => (await ask(place, body)) as { result?: Result; error?: string } })

/** A Redis that takes the question and says nothing must not keep anybody from signing in. */
const timeoutMs = 1500
/** Ours: two numbers, or a sentence that quotes the command. */
const maxAnswerBytes = 64 * 1024

const saidSchema = z.object({ result: z.optional(z.unknown()), error: z.optional(z.string()) })

async function ask({ url, token }: Place, command: unknown): Promise<z.infer<typeof saidSchema>> {
  const signal = AbortSignal.timeout(timeoutMs)
  const send = (): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(command),
      // The token would travel along.
      redirect: 'manual',
      signal,
    })
  // A connection that was kept may have ended meanwhile.
  const response = await send().catch((error: unknown) => {
    if (signal.aborted) throw error
    return send()
  })
  if (response.ok) return saidSchema.parse(await boundedJson(response, maxAnswerBytes))
  await response.body?.cancel()
  throw new RedisError(`Redis answered ${response.status}`)
}

/** Both commands in one step on the server: a counter that lost its expiry between two calls would lock an address out for ever. */
const countScript =
  "local n = redis.call('incr', KEYS[1]) if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end return {n, redis.call('ttl', KEYS[1])}"

/** Whatever else answers at that address must not decide who may knock. */
const integer = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
])
const answerSchema = z.tuple([integer, integer])

/** Counts one more within the window that the first one opened; `leftS` until it closes. */
export async function countInRedis(
  redis: Redis,
  key: string,
  windowS: number,
): Promise<{ readonly count: number; readonly leftS: number }> {
  const answer: unknown = await redis.eval(countScript, [key], [String(Math.ceil(windowS))])
  const [count, leftS] = answerSchema.parse(answer)
  return { count, leftS: Math.max(1, leftS) }
}
