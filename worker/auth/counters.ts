/**
 * Rate-limit counters: in Redis if configured, otherwise in D1. If Redis fails, D1 counts from zero, and Redis is not called again for
 * `restMs`. A failing Redis therefore neither disables a limit nor delays every request.
 *
 * Not `@upstash/ratelimit`: it allows requests after its timeout, and Redis and D1 must count by one rule. Not the binding of Workers: it has no
 * windows of ten minutes, an hour or a day.
 */
import { Redis } from '@upstash/redis/cloudflare'
import * as z from 'zod'
import { countHit, type RateLimitHit } from '../db/rate-limit-hits.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { withFetchLimits } from '../lib/limited-global-fetch.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'

/** Adds `by` (default 1; 0 only reads) within the window that the first hit opened. */
export type Counter = (key: string, windowS: number, by?: number) => Promise<RateLimitHit>

const prefix = 'rate-limit:'

export function createCounter(env: DatabaseBindings, settings: Settings['redis'], nowMs: () => number): Counter {
  const inD1: Counter = (key, windowS, by) => countHit(env, key, windowS, nowMs(), by)
  if (!settings) return inD1
  const redis = connectRedis(settings)
  let restsUntilMs = 0
  return async (key, windowS, by) => {
    if (nowMs() < restsUntilMs) return inD1(key, windowS, by)
    try {
      return await countInRedis(redis, prefix + key, windowS, by)
    } catch (error) {
      restsUntilMs = nowMs() + restMs
      logger.error('redis_failed', error)
      return inD1(key, windowS, by)
    }
  }
}

/** Chosen: short, because Redis and D1 count separately. Long enough that one sign-in waits for at most one timeout. */
export const restMs = 5000

/** The Redis client, for Upstash's HTTP protocol. */
const connectRedis = ({ url, token }: NonNullable<Settings['redis']>): Redis =>
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
async function countInRedis(
  redis: Redis,
  key: string,
  windowS: number,
  by = 1,
): Promise<{ readonly count: number; readonly leftS: number }> {
  const answer: unknown = await withFetchLimits(bounds, () => redis.eval(countScript, [key], [String(Math.ceil(windowS)), String(by)]))
  const [count, leftS] = answerSchema.parse(answer)
  return { count, leftS: Math.max(1, leftS) }
}
