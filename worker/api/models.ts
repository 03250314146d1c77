/**
 * Refreshes the list of models from the connected servers: POST /api/models/refresh when a user opens the picker, and less often when a
 * visit begins, because a deployment may have changed the settings. Changed rows reach the browser through the feed.
 */
import { refreshCatalogue } from '../chat/catalog/refresh-catalogue.ts'
import { logger } from '../lib/logger.ts'
import { notify } from '../user-sync/rpc.ts'
import { type AppContext, readViewer, refuseWith } from './http.ts'

/** Chosen: bounds the requests that users can cause. */
const refreshEveryMs = 5_000
/** Chosen. Scheduled work refreshes too; this covers the time right after a deployment. */
const backgroundRefreshEveryMs = 60_000

/** A client disconnect must not stop the refresh, because other requests skip theirs and rely on it. */
export async function handleModelsRefresh(c: AppContext): Promise<Response> {
  const viewer = await readViewer(c)
  if (!viewer) return refuseWith(c, 'session_required')
  const refresh = refreshAndNotify(c, [viewer.userId], refreshEveryMs)
  c.executionCtx.waitUntil(refresh.catch(() => {}))
  await refresh
  return c.body(null, 204)
}

/** Refreshes after the response. `userIds`: users who may be connected and have read the rows before the change. */
export function refreshModelsInBackground(c: AppContext, userIds: readonly string[]): void {
  const refresh = refreshAndNotify(c, userIds, backgroundRefreshEveryMs)
  c.executionCtx.waitUntil(refresh.catch((error: unknown) => logger.error('catalogue_failed', error)))
}

async function refreshAndNotify(c: AppContext, userIds: readonly string[], everyMs: number): Promise<void> {
  const refreshed = await refreshCatalogue(c.env, c.var.settings, Date.now(), { everyMs, userIds })
  if (refreshed.changes > 0) await notify(c.env, refreshed.userIds)
}
