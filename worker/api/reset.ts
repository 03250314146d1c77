/** GET /api/reset: runs the scheduled work on demand, for the bearer CRON_SECRET. Idempotent. */
import type { Env } from '../bindings.ts'
import type { Clock } from '../lib/clock.ts'
import { checkCronSecret } from './cron-secret.ts'
import { type AppContext, refuseWith } from './http.ts'

/** Injected, because the scheduled work belongs to a layer above the routes. Resolves to the number of rows per job. */
export type WorkOnDemand = (env: Env, clock: Clock) => Promise<{ readonly [job: string]: number | 'failed' }>

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
