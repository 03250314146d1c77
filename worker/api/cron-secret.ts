/**
 * Checks CRON_SECRET for GET /api/reset and /api/setup. The comparison takes constant time; wrong attempts are limited per network.
 */
import { createCounter } from '../auth/counters.ts'
import { networksOf } from '../auth/networks.ts'
import { maxWrongSecrets } from '../contract/limits.ts'
import { logger } from '../lib/logger.ts'
import type { Settings } from '../settings.ts'
import type { AppContext } from './http.ts'

const windowS = 600

/** Both routes share one counter. A limited network is refused even with the correct secret, or guessing could continue. */
export async function checkCronSecret(
  c: AppContext,
  settings: Pick<Settings, 'redis'>,
  given: string,
  expected: string,
): Promise<'correct' | 'wrong' | 'rate_limited'> {
  const isCorrect = await isSameSecret(given, expected)
  const wrongAttempts = await countWrongAttempts(c, settings, isCorrect ? 0 : 1)
  if (wrongAttempts > maxWrongSecrets) return 'rate_limited'
  return isCorrect ? 'correct' : 'wrong'
}

/** Returns 0 if the database fails, because /api/setup must be able to report that failure. */
async function countWrongAttempts(c: AppContext, { redis }: Pick<Settings, 'redis'>, by: 0 | 1): Promise<number> {
  try {
    return (await createCounter(c.env, redis, Date.now)(`cron-secret:${networksOf(c.req.raw.headers).line}`, windowS, by)).count
  } catch (error) {
    logger.error('cron_secret_not_counted', error)
    return 0
  }
}

/** Compares digests of equal length to their ends, so the time does not depend on where they differ. */
export async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const digest = (text: string) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const [a, b] = (await Promise.all([digest(given), digest(expected)])).map((bytes) => new Uint8Array(bytes))
  if (!a || !b) return false
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0
}
