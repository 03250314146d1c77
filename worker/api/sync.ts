/** GET /sync/v{n}/connect: the socket of the sync protocol. Versions are the protocol's business; this only passes the upgrade on. */
import { refreshCatalogue } from '../chat/models/refresh-catalogue.ts'
import { logger } from '../lib/logger.ts'
import { handleSyncConnect } from '../sync/connect-route.ts'
import { type AppContext, refuseWith } from './http.ts'

/** The scheduled work asks too; this is for what has just been deployed. */
const refreshEveryMs = 60_000

export async function handleConnect(c: AppContext): Promise<Response> {
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') {
    c.header('upgrade', 'websocket')
    return refuseWith(c, 'invalid_request', 426)
  }
  // Beside it, and seldom: what this deployment reaches may have changed with its settings.
  const refresh = refreshCatalogue(c.env, c.var.settings, Date.now(), refreshEveryMs).catch((error: unknown) =>
    logger.error('catalogue_failed', error),
  )
  c.executionCtx.waitUntil(refresh)
  const response = await handleSyncConnect(c.req.raw, c.env, c.var.settings)
  return c.var.settings.environment === 'development' ? uncompressed(response) : response
}

/**
 * Frames are not compressed: for every frame of every socket that is a good third of what a poke costs. A deployment says so by
 * `no_web_socket_compression`; the Worker that Miniflare puts before ours does not have that flag and goes by this header, which no browser sees.
 * The flag would strike the header: a local run leaves it out (`scripts/lib/serve.ts`).
 */
function uncompressed(response: Response): Response {
  if (response.webSocket === null) return response
  const headers = new Headers(response.headers)
  headers.set('sec-websocket-extensions', 'none')
  return new Response(null, { status: 101, webSocket: response.webSocket, headers })
}
