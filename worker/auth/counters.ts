/**
 * Counts of knocks: in Redis, where all machines count together, else in D1. A Redis that is down is no way around a limit: D1 counts
 * meanwhile, from nothing. Nor does everybody wait for it to fail: after a failure it is left alone for a while.
 */
import { countKnock, type Knock } from '../db/knocks.ts'
import type { DatabaseBindings } from '../db/shards.ts'
import type { Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { connectRedis, countInRedis } from './redis.ts'

/** Counts one more within the window that the first one opened. */
export type Counter = (key: string, windowS: number) => Promise<Knock>

const prefix = 'knock:'

export function createCounter(env: DatabaseBindings, settings: Settings['redis'], nowMs: () => number): Counter {
  const inRecord: Counter = (key, windowS) => countKnock(env, key, windowS, nowMs())
  if (!settings) return inRecord
  const redis = connectRedis(settings)
  let restsUntilMs = 0
  return async (key, windowS) => {
    if (nowMs() < restsUntilMs) return inRecord(key, windowS)
    try {
      return await countInRedis(redis, prefix + key, windowS)
    } catch (error) {
      restsUntilMs = nowMs() + restMs
      logger.error('redis_failed', error)
      return inRecord(key, windowS)
    }
  }
}

/** Ours: short enough that a limit is never counted twice for long, long enough that a person who signs in waits for it once at most. */
export const restMs = 5000
