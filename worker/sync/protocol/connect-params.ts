/** The URL of the upgrade: `/sync/v<version>/connect?…`. */
import * as z from 'zod'
import { wireID } from './ids.ts'

/** `ts`, `profileID` and `debugPerf` are the client's own business and ignored. */
const paramsSchema = z.object({
  clientID: wireID,
  clientGroupID: wireID,
  /** Untrusted: it must be the subject of the token. */
  userID: z.string().optional(),
  /** Null when the client holds nothing. */
  baseCookie: z.string().transform((cookie) => (cookie === '' ? null : cookie)),
  /** The last mutation this client saw confirmed. */
  lmid: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
  wsid: z.string().max(128),
})

export type ConnectParams = z.infer<typeof paramsSchema>

export type ConnectUrl = { readonly version: number; readonly params: ConnectParams | { readonly invalid: string } }

const pathPattern = /^\/sync\/v(\d{1,6})\/connect$/

/** Null when the path is not the one of a sync connection. */
export function parseConnectUrl(url: URL): ConnectUrl | null {
  const version = pathPattern.exec(url.pathname)?.[1]
  if (version === undefined) return null
  const parsed = paramsSchema.safeParse(Object.fromEntries(url.searchParams))
  const params = parsed.success ? parsed.data : { invalid: `${parsed.error.issues[0]?.path.join('.')} is missing or malformed` }
  return { version: Number(version), params }
}
