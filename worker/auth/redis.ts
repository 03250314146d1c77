/** The one way to Redis: Upstash's HTTP protocol. */
import { Redis } from '@upstash/redis/cloudflare'
import * as z from 'zod'
import type { Settings } from '../env.ts'
import { askBounded } from '../lib/bounded-asking.ts'

export const connectRedis = ({ url, token }: NonNullable<Settings['redis']>): Redis =>
  new Redis({
    url,
    token,
    // Values are texts; whoever stored one wants it back letter for letter.
    automaticDeserialization: false,
    // Commands of different requests must not travel together: a Worker ends the I/O of a request with the request.
    enableAutoPipelining: false,
    enableTelemetry: false,
    retry: { retries: 1 },
    // A Redis that takes the question and says nothing must not keep anybody from signing in.
    signal: () => AbortSignal.timeout(timeoutMs),
  })

const timeoutMs = 1500
/** Ours: two numbers, or a sentence that quotes the command. */
const bounds = { maxBytes: 64 * 1024, withinMs: timeoutMs } as const

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
  const answer: unknown = await askBounded(bounds, () => redis.eval(countScript, [key], [String(Math.ceil(windowS))]))
  const [count, leftS] = answerSchema.parse(answer)
  return { count, leftS: Math.max(1, leftS) }
}
