/**
 * Rate-limit counters: in Redis if configured, otherwise in D1. If Redis fails, D1 counts from zero, and Redis is not called again for
 * `restMs`. A failing Redis therefore neither disables a limit nor delays every request.
 *
 * Not `@upstash/ratelimit`: it allows requests after its timeout, and Redis and D1 must count by one rule. Not the binding of Workers: it has no
 * windows of ten minutes, an hour or a day.
 */
import { countHit, type RateLimitHit } from '../db/rate-limit-hits.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'
import { connectRedis, countInRedis } from './redis.ts'

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
