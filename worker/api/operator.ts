/**
 * GET and POST /api/setup: checks every part of a deployment and reports problems. Production requires CRON_SECRET, as a bearer token or
 * through the page's form. The page is open in development, and in production while CRON_SECRET is missing.
 */
import { createCounter } from '../auth/counters.ts'
import { networksOf } from '../auth/networks.ts'
import type { Env } from '../bindings.ts'
import { maxWrongSecrets } from '../contract/limits.ts'
import type { Clock } from '../lib/clock.ts'
import { logger } from '../lib/logger.ts'
import { setupGate, setupPage } from '../page/plain-page.ts'
import { readSettings, type Settings, type SettingsResult } from '../settings.ts'
import { checkEverything } from '../setup/checks.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleSetup(c: AppContext): Promise<Response> {
  const result = readSettings(c.env)
  const settings = result.ok ? result.settings : result.partial
  const refusal = await refusalFor(c, result, settings)
  if (refusal !== null) return refusal
  return setupPage(result.ok ? [] : result.problems, await checkEverything(c.env, settings, c.req.url), settings.disabledFeatures)
}

/** Null if the request may see the page. */
async function refusalFor(c: AppContext, result: SettingsResult, settings: Settings): Promise<Response | null> {
  const { environment, cronSecret, disabledFeatures } = settings
  if (environment === 'development') return null
  if (cronSecret === null) return result.ok || disabledFeatures.has('cron') ? refuseWith(c, 'not_configured') : null
  const bearer = c.req.header('authorization')
  // A body that is not a form has no field.
  const typed = c.req.method === 'POST' ? (await c.req.parseBody().catch(() => null))?.secret : null
  const given = typeof typed === 'string' ? `Bearer ${typed}` : bearer
  if (given === undefined) return setupGate(false)
  const attempt = await checkCronSecret(c, settings, given, `Bearer ${cronSecret}`)
  if (attempt === 'rate_limited') return refuseWith(c, attempt)
  return attempt === 'correct' ? null : setupGate(true)
}

/** Injected, because the scheduled work belongs to a layer above the routes. Resolves to the number of rows per job. */
export type WorkOnDemand = (env: Env, clock: Clock) => Promise<{ readonly [job: string]: number | 'failed' }>

/** GET /api/reset: runs the scheduled work on demand, for the bearer CRON_SECRET. Idempotent. */
export const handleReset =
  (work: WorkOnDemand, clock: Clock) =>
  async (c: AppContext): Promise<Response> => {
    const { cronSecret } = c.var.settings
    if (cronSecret === null) return refuseWith(c, 'not_configured')
    const authorization = c.req.header('authorization')
    // Not counted: a page can make the operator's browser send requests without a secret.
    if (authorization === undefined) return refuseWith(c, 'not_authorized')
    const result = await checkCronSecret(c, c.var.settings, authorization, `Bearer ${cronSecret}`)
    if (result !== 'correct') return refuseWith(c, result === 'wrong' ? 'not_authorized' : result)
    return c.json({ done: await work(c.env, clock) })
  }

/**
 * Checks CRON_SECRET for GET /api/reset and /api/setup. The comparison takes constant time; wrong attempts are limited per network.
 */
const windowS = 600

/** Both routes share one counter. A limited network is refused even with the correct secret, or guessing could continue. */
async function checkCronSecret(
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
