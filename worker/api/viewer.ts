import { type SessionViewer, viewerOf } from '../auth/session.ts'
import type { AppContext } from './http.ts'

/** The session of the request, or null. */
export const readViewer = (c: AppContext): Promise<SessionViewer | null> => viewerOf(c.req.raw, c.env, c.var.settings)
