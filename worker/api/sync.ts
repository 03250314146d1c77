/** GET /sync/v{n}/connect: the socket of the sync protocol. Versions are the protocol's business; this only passes the request on. */
import { handleSyncConnect } from '../sync/connect-route.ts'
import type { AppContext } from './http.ts'

export const handleConnect = (c: AppContext): Promise<Response> => handleSyncConnect(c.req.raw, c.env, c.var.settings)
