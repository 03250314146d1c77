/**
 * GET and POST /api/setup: checks every part of a deployment and reports problems. Production requires CRON_SECRET, as a bearer token or
 * through the page's form. The page is open in development, and in production while CRON_SECRET is missing.
 */

import { setupGate, setupPage } from '../page/setup-page.ts'
import { readSettings, type Settings, type SettingsResult } from '../settings.ts'
import { checkEverything } from '../setup/checks.ts'
import { checkCronSecret } from './cron-secret.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleSetup(c: AppContext): Promise<Response> {
  const result = readSettings(c.env)
  const settings = result.ok ? result.settings : result.partial
  const refusal = await refusalFor(c, result, settings)
  if (refusal !== null) return refusal
  return setupPage(result.ok ? [] : result.problems, await checkEverything(c.env, settings, c.req.url))
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
