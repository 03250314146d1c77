/** GET /sync/v{n}/connect: the socket of the sync protocol. Versions are the protocol's business; this only passes the upgrade on. */
import { handleSyncConnect } from '../sync/connect-route.ts'
import { type AppContext, refuseWith } from './http.ts'
import { refreshModelsBeside } from './models.ts'

export async function handleConnect(c: AppContext): Promise<Response> {
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') {
    c.header('upgrade', 'websocket')
    return refuseWith(c, 'invalid_request', 426)
  }
  const response = await handleSyncConnect(c.req.raw, c.env, c.var.settings, (userId) => refreshModelsBeside(c, [userId]))
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
