/** The Redis client, for Upstash's HTTP protocol. */
import { Redis } from '@upstash/redis/cloudflare'
import * as z from 'zod'
import { withFetchLimits } from '../lib/limited-global-fetch.ts'
import type { Settings } from '../settings.ts'

export const connectRedis = ({ url, token }: NonNullable<Settings['redis']>): Redis =>
  new Redis({
    url,
    token,
    // Values are strings and must be returned unchanged.
    automaticDeserialization: false,
    // Commands of different requests must not share a pipeline: a Worker ends the I/O of a request with the request.
    enableAutoPipelining: false,
    enableTelemetry: false,
    retry: { retries: 1 },
    // A Redis that accepts the request but does not respond must not block sign-ins.
    signal: () => AbortSignal.timeout(timeoutMs),
  })

const timeoutMs = 1500
/** Chosen: two numbers, or an error message that quotes the command. */
const bounds = { maxBytes: 64 * 1024, withinMs: timeoutMs } as const

/** One atomic script: a counter without an expiry would block its key forever. */
const countScript =
  "local n = redis.call('incrby', KEYS[1], ARGV[2]) if redis.call('ttl', KEYS[1]) < 0 then redis.call('expire', KEYS[1], ARGV[1]) end return {n, redis.call('ttl', KEYS[1])}"

/** Validated, because another server may respond at this address. */
const integer = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
])
const answerSchema = z.tuple([integer, integer])

/** Adds `by` within the window that the first hit opened. `leftS` is the time until the window ends. */
export async function countInRedis(
  redis: Redis,
  key: string,
  windowS: number,
  by = 1,
): Promise<{ readonly count: number; readonly leftS: number }> {
  const answer: unknown = await withFetchLimits(bounds, () => redis.eval(countScript, [key], [String(Math.ceil(windowS)), String(by)]))
  const [count, leftS] = answerSchema.parse(answer)
  return { count, leftS: Math.max(1, leftS) }
}
