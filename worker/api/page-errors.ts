/**
 * POST /api/page-errors: logs one error of a page. Needs no session, because a page can fail before it has one. A report over the limits is
 * dropped and gets the same response.
 */
import { createCounter } from '../auth/counters.ts'
import { networksOf } from '../auth/networks.ts'
import { isPageErrorAllowed } from '../auth/rate-limits.ts'
import { pageErrorSchema } from '../contract/page-error.ts'
import { logger } from '../lib/logger.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handlePageError(c: AppContext): Promise<Response> {
  const parsed = pageErrorSchema.safeParse(await c.req.json().catch(() => null))
  if (!parsed.success) return refuseWith(c, 'invalid_request')
  const { environment, redis } = c.var.settings
  const count = createCounter(c.env, redis, Date.now)
  if (await isPageErrorAllowed(environment, count, networksOf(c.req.raw.headers))) {
    const { places, ...report } = parsed.data
    logger.warn('page_error', { ...report, places: places.join(' < ') })
  }
  return c.body(null, 204)
}
