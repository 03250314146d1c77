/** The upgrade request of a sync connection: its URL `/sync/v<version>/connect?…` and its sub-protocol. */
import * as z from 'zod'
import { bytesOfBase64 } from '../../lib/base64.ts'
import { initConnectionSchema, wireID } from './up.ts'

/** The version of the sync protocol of `@rocicorp/zero` 1.9. Version 52 encodes pokes differently, so no range is accepted. */
export const protocolVersion = 51

/** `ts`, `profileID` and `debugPerf` are ignored. */
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

/**
 * The one sub-protocol of the upgrade: URI-encoded base64 of UTF-8 JSON `{initConnectionMessage?, authToken?}`.
 * The server must echo the exact value, or browsers close the connection.
 */
const subProtocolSchema = z.object({
  initConnectionMessage: z.tuple([z.literal('initConnection'), initConnectionSchema]).optional(),
  authToken: z.string().optional(),
})

type SubProtocol = z.infer<typeof subProtocolSchema>

/** Null when the header is not what the client writes. */
export function decodeSubProtocol(header: string): SubProtocol | null {
  try {
    const bytes = bytesOfBase64(decodeURIComponent(header))
    const parsed = subProtocolSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    return parsed.success ? parsed.data : null
  } catch {
    // Not URI encoding, base64 or JSON.
    return null
  }
}
