/**
 * What the connected servers have by now. POST /api/models/refresh: whoever opens the picker asks. And beside what begins a visit, seldom:
 * what this deployment reaches may have changed with its settings. The rows come by the feed.
 */
import { viewerOf } from '../auth/session.ts'
import { refreshCatalogue } from '../chat/catalog/refresh-catalogue.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../user-sync/rpc.ts'
import { type AppContext, refuseWith } from './http.ts'

const refreshEveryMs = 5_000
/** The scheduled work asks too; this is for what has just been deployed. */
const refreshBesideEveryMs = 60_000

export async function handleModelsRefresh(c: AppContext): Promise<Response> {
  const viewer = await viewerOf(c.req.raw, c.env, c.var.settings)
  if (!viewer) return refuseWith(c, 'session_required')
  await refreshFor(c, [viewer.userId], refreshEveryMs)
  return c.body(null, 204)
}

/** Nobody waits for it. `userIds`: who may be connected already, and has read the rows before they changed. */
export function refreshModelsBeside(c: AppContext, userIds: readonly string[]): void {
  const refresh = refreshFor(c, userIds, refreshBesideEveryMs)
  c.executionCtx.waitUntil(refresh.catch((error: unknown) => logger.error('catalogue_failed', error)))
}

async function refreshFor(c: AppContext, userIds: readonly string[], everyMs: number): Promise<void> {
  if ((await refreshCatalogue(c.env, c.var.settings, Date.now(), everyMs)) > 0) await notify(c.env, userIds)
}
