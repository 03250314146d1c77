/** GET /sync/v{n}/connect: checks the WebSocket upgrade of the sync protocol and forwards it to the user's object (SPEC C1). */
import { verifySyncToken } from '../auth/token.ts'
import { handleSyncConnect } from '../sync/connect-route.ts'
import { type AppContext, refuseWith } from './http.ts'
import { refreshModelsInBackground } from './models.ts'

export async function handleConnect(c: AppContext): Promise<Response> {
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket') {
    c.header('upgrade', 'websocket')
    return refuseWith(c, 'invalid_request', 426)
  }
  const response = await handleSyncConnect(c.req.raw, {
    objects: c.env.USER_SYNC,
    authenticate: (token) => verifySyncToken(c.env, token),
    publicUrl: c.var.settings.publicUrl,
    onAuthenticated: (userId) => refreshModelsInBackground(c, [userId]),
  })
  return response ?? refuseWith(c, 'not_found', 404)
}
