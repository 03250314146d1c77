/** GET /_serverFn?threadId=… (also /_serverFn/first-page): the initial data of a route for the session of the request. */
import * as z from 'zod'
import { authFor, openPageSession } from '../auth/session.ts'
import { idSchema } from '../contract/ids.ts'
import { systemClock } from '../lib/clock.ts'
import { firstPageFor } from '../page/first-page.ts'
import { type AppContext, refuseWith } from './http.ts'

const routeParams = z.object({ threadId: z.optional(idSchema) })

export async function handleFirstPage(c: AppContext): Promise<Response> {
  const params = routeParams.safeParse(c.req.query())
  if (!params.success) return refuseWith(c, 'invalid_request')
  const session = await openPageSession(c.req.raw, await authFor(c.env, c.var.settings, c.req.url))
  if (!session) return refuseWith(c, 'session_required')
  const { page, source } = await firstPageFor(c.env, session, params.data.threadId ?? null, systemClock())
  for (const cookie of session.cookies) c.header('set-cookie', cookie, { append: true })
  // Shows whether the data comes from D1 or from the cache (at most a day old).
  c.header('x-first-page', source)
  return c.json(page)
}
