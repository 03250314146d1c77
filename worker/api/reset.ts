/** GET /api/reset: the scheduled work, on demand, for whoever holds CRON_SECRET. Twice is like once. */
import type { Env } from '../env.ts'
import type { Clock } from '../lib/clock.ts'
import { type AppContext, refuseWith } from './http.ts'

/** A parameter, because it stands above the routes: it may do what no single route may. Resolves to what was done. */
export type WorkOnDemand = (env: Env, clock: Clock) => Promise<{ readonly [job: string]: number | 'failed' }>

export const handleReset =
  (work: WorkOnDemand, clock: Clock) =>
  async (c: AppContext): Promise<Response> => {
    const { cronSecret } = c.var.settings
    if (cronSecret === null) return refuseWith(c, 'not_configured')
    if (!(await isSameSecret(c.req.header('authorization') ?? '', `Bearer ${cronSecret}`))) return refuseWith(c, 'not_authorized')
    return c.json({ done: await work(c.env, clock) })
  }

/** Compares digests, and all of them, so that the time it takes tells nothing about the secret. */
export async function isSameSecret(given: string, expected: string): Promise<boolean> {
  const digest = (text: string) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const [a, b] = (await Promise.all([digest(given), digest(expected)])).map((bytes) => new Uint8Array(bytes))
  if (!a || !b) return false
  return a.reduce((difference, byte, index) => difference | (byte ^ (b[index] ?? 0)), 0) === 0
}
