/**
 * GET and POST /api/setup: tries every part of a deployment and says what is off. In production it is for CRON_SECRET, as a bearer or from
 * the page's own form, a few tries at a time; open only while that is missing with other settings, because then there is nobody but whoever
 * deploys. In development for everybody.
 */
import { createCounter } from '../auth/counters.ts'
import { readSettings, type Settings, type SettingsResult } from '../env.ts'
import { logger } from '../lib/logger.ts'
import { setupGate, setupPage } from '../page/setup-page.ts'
import { checkEverything } from '../setup/checks.ts'
import { type AppContext, refuseWith } from './http.ts'
import { isSameSecret } from './reset.ts'

export async function handleSetup(c: AppContext): Promise<Response> {
  const result = readSettings(c.env)
  const settings = result.ok ? result.settings : result.partial
  const entrance = await entranceOf(c, result, settings)
  if (entrance !== null) return entrance
  return setupPage(result.ok ? [] : result.problems, await checkEverything(c.env, settings, c.req.url))
}

/** Null for whoever may come in. */
async function entranceOf(c: AppContext, result: SettingsResult, settings: Settings): Promise<Response | null> {
  const { environment, cronSecret } = settings
  if (environment === 'development') return null
  if (cronSecret === null) return result.ok ? refuseWith(c, 'not_configured') : null
  const bearer = c.req.header('authorization')
  // What is no form has no field.
  const typed = c.req.method === 'POST' ? (await c.req.parseBody().catch(() => null))?.secret : null
  const given = typeof typed === 'string' ? `Bearer ${typed}` : bearer
  if (given === undefined) return setupGate(false)
  if (await isTriedTooOften(c, settings)) return refuseWith(c, 'rate_limited')
  return (await isSameSecret(given, `Bearer ${cronSecret}`)) ? null : setupGate(true)
}

const tries = { max: 10, windowS: 600 }

/** Without a database nothing is counted: that may be what somebody came to find out. */
async function isTriedTooOften(c: AppContext, settings: Settings): Promise<boolean> {
  try {
    const knock = await createCounter(c.env, settings.redis, Date.now)(`setup:${c.req.header('cf-connecting-ip') ?? ''}`, tries.windowS)
    return knock.count > tries.max
  } catch (error) {
    logger.error('setup_not_counted', error)
    return false
  }
}
