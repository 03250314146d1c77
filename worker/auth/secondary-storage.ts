/**
 * Upstash Redis as better-auth's secondary storage: sessions are found without D1, and limits are counted for all machines at once.
 * D1 stays the record, so a Redis that is down signs nobody out and keeps nobody out. Only forgetting must not fail unnoticed:
 * a session that stays here after it was revoked would live on.
 */
import { Redis } from '@upstash/redis/cloudflare'
import type { SecondaryStorage } from 'better-auth'
import type { Settings } from '../env.ts'
import { logger } from '../lib/logger.ts'

const prefix = 'auth:'

/** Both commands in one step on the server: a counter that lost its expiry between two calls would lock an address out for ever. */
const incrementScript = "local n = redis.call('incr', KEYS[1]) if n == 1 then redis.call('expire', KEYS[1], ARGV[1]) end return n"

export function createSecondaryStorage({ url, token }: NonNullable<Settings['redis']>): SecondaryStorage {
  const redis = new Redis({
    url,
    token,
    // Values are JSON texts of better-auth's; it wants them back as it gave them.
    automaticDeserialization: false,
    // Commands of different requests must not travel together: a Worker ends the I/O of a request with the request.
    enableAutoPipelining: false,
    enableTelemetry: false,
    retry: { retries: 1 },
  })
  return {
    get: (key) => orElse(null, () => redis.get<string>(prefix + key)),
    getAndDelete: (key) => redis.getdel<string>(prefix + key),
    set: (key, value, ttlS) =>
      orElse(null, () => (ttlS ? redis.set(prefix + key, value, { ex: Math.ceil(ttlS) }) : redis.set(prefix + key, value))),
    increment: (key, ttlS) =>
      orElse(1, async () => Number(await redis.eval<string[], number>(incrementScript, [prefix + key], [String(Math.ceil(ttlS))]))),
    delete: async (key) => {
      await redis.del(prefix + key)
    },
  }
}

async function orElse<T>(fallback: T, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    logger.error('redis_failed', error)
    return fallback
  }
}
