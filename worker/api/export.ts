/** GET /api/account/export: everything there is of the person who asks, as a file that is written while it is read. */
import { viewerOf } from '../auth/session.ts'
import { exportOf } from '../db/export.ts'
import { systemClock } from '../lib/clock.ts'
import { type AppContext, refuseWith } from './http.ts'

export async function handleExport(c: AppContext): Promise<Response> {
  const viewer = await viewerOf(c.req.raw, c.env, c.var.settings)
  if (!viewer) return refuseWith(c, 'session_required')
  const nowMs = systemClock()
  const parts = exportOf(c.env, viewer.userId, nowMs)
  const encoder = new TextEncoder()
  const file = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A failure in the middle breaks the download, which a browser says; half a file must not look whole.
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await parts.return(undefined)),
  })
  const day = new Date(nowMs).toISOString().slice(0, 10)
  return new Response(file, {
    headers: { 'content-type': 'application/json; charset=utf-8', 'content-disposition': `attachment; filename="parley-${day}.json"` },
  })
}
