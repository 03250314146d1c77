/** POST /api/models/refresh: looks what the connected servers have by now. Whoever opens the picker asks; the rows come by the feed. */
import { viewerOf } from '../auth/session.ts'
import { refreshCatalogue } from '../chat/models/refresh-catalogue.ts'
import { notify } from '../sync/notify.ts'
import { type AppContext, refuseWith } from './http.ts'

const refreshEveryMs = 5_000

export async function handleModelsRefresh(c: AppContext): Promise<Response> {
  const viewer = await viewerOf(c.req.raw, c.env, c.var.settings)
  if (!viewer) return refuseWith(c, 'session_required')
  if ((await refreshCatalogue(c.env, c.var.settings, Date.now(), refreshEveryMs)) > 0) await notify(c.env, [viewer.userId])
  return c.body(null, 204)
}
