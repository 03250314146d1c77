/**
 * Every message that a client can send, as `[tag, body]`, and the decoder from a frame to a typed message. Anything outside this list is
 * `InvalidMessage` (SPEC X1).
 */
import * as z from 'zod'
import { bytesOfBase64 } from '../../lib/base64.ts'
import type { Json } from '../engine/types.ts'
import { maxIdChars } from './wire-limits.ts'

/** Ids that browsers make: opaque, bounded, printable. */
const wireID = z
  .string()
  .min(1)
  .max(maxIdChars)
  .regex(/^[\x21-\x7e]+$/)

const mutationIDSchema = z.object({ clientID: wireID, id: z.int().min(0) })

/** Any JSON value; `JSON.parse` is the only check. */
const json = z.custom<Json>((value) => value !== undefined)

/** `name` and `args` are absent when a client sends a bare AST, which is refused per query. `hash` is the client's own and opaque. */
const put = z.object({
  op: z.literal('put'),
  hash: wireID,
  ttl: z.number().optional(),
  name: z.string().max(200).optional(),
  args: z.array(json).max(1).optional(),
})
const del = z.object({ op: z.literal('del'), hash: wireID })
const clear = z.object({ op: z.literal('clear') })

/** A difference to the desired queries that the client sent before. */
const desiredQueriesPatchSchema = z.array(z.discriminatedUnion('op', [put, del, clear])).max(2000)

export type PutDesiredQuery = z.infer<typeof put>
export type DesiredQueriesPatch = z.infer<typeof desiredQueriesPatchSchema>

const valueType = z.enum(['string', 'number', 'boolean', 'null', 'json'])

const clientSchemaSchema = z.object({
  tables: z.record(
    z.string(),
    z.object({ columns: z.record(z.string(), z.object({ type: valueType })), primaryKey: z.array(z.string()).optional() }),
  ),
})

const deleteClientsSchema = z.object({ clientIDs: z.array(wireID).max(10_000).optional() })

/** The first message of a connection; the client sends it in the sub-protocol if it fits. URLs and headers of the client are ignored. */
const initConnectionSchema = z.object({
  desiredQueriesPatch: desiredQueriesPatchSchema,
  /** Only from a client that holds nothing yet. */
  clientSchema: clientSchemaSchema.optional(),
  deleted: deleteClientsSchema.optional(),
  activeClients: z.array(wireID).max(10_000).optional(),
})

export type ClientSchema = z.infer<typeof clientSchemaSchema>
export type InitConnection = z.infer<typeof initConnectionSchema>

const customMutation = z.object({
  type: z.literal('custom'),
  id: z.int().min(1),
  clientID: wireID,
  name: z.string().max(200),
  args: z.array(json),
})

/** Written by clients that enable legacy mutators; this server takes named ones only. */
const crudMutation = z.object({ type: z.literal('crud'), id: z.int().min(1), clientID: wireID })

const pushSchema = z.object({
  clientGroupID: wireID,
  mutations: z.array(z.discriminatedUnion('type', [customMutation, crudMutation])).max(1000),
  pushVersion: z.number(),
  requestID: z.string(),
})

export type CustomMutation = z.infer<typeof customMutation>
export type Push = z.infer<typeof pushSchema>

export const upBodies = {
  initConnection: initConnectionSchema,
  ping: z.object({}),
  push: pushSchema,
  changeDesiredQueries: z.object({ desiredQueriesPatch: desiredQueriesPatchSchema }),
  deleteClients: deleteClientsSchema,
  ackMutationResponses: mutationIDSchema,
  updateAuth: z.object({ auth: z.string() }),
  pull: z.object({ clientGroupID: wireID, cookie: z.string().nullable(), requestID: z.string() }),
  inspect: z.object({ id: z.string() }),
  closeConnection: z.unknown(),
} as const

type UpBodies = typeof upBodies
type UpTag = keyof UpBodies
export type UpMessage = { [Tag in UpTag]: readonly [tag: Tag, body: z.infer<UpBodies[Tag]>] }[UpTag]

type Decoded =
  | { readonly type: 'message'; readonly message: UpMessage }
  | { readonly type: 'too-large' }
  | { readonly type: 'invalid'; readonly reason: string }

export function decodeUp(frame: string | ArrayBuffer, maxFrameBytes: number): Decoded {
  if (typeof frame !== 'string') return { type: 'invalid', reason: 'binary frames are not part of the protocol' }
  if (isLongerThan(frame, maxFrameBytes)) return { type: 'too-large' }
  const parsed = parse(frame)
  if (!Array.isArray(parsed) || parsed.length !== 2) return { type: 'invalid', reason: 'a message is a JSON array of a tag and a body' }
  const [tag, body] = parsed as [unknown, unknown]
  // The tag is not repeated: it may be nested deeply.
  if (!isUpTag(tag)) return { type: 'invalid', reason: `unknown message ${typeof tag === 'string' ? `"${tag.slice(0, 50)}"` : ''}` }
  const result = upBodies[tag].safeParse(body)
  // The body was checked by the schema that belongs to its tag.
  if (result.success) return { type: 'message', message: [tag, result.data] as UpMessage }
  const [issue] = result.error.issues
  return { type: 'invalid', reason: `${tag}: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}` }
}

function isUpTag(tag: unknown): tag is UpTag {
  return typeof tag === 'string' && Object.hasOwn(upBodies, tag)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is handled like JSON of a wrong shape.
    return undefined
  }
}

/** In UTF-8 bytes, counted only when the number of characters does not decide it. */
function isLongerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true
  return text.length * 3 > bytes && new TextEncoder().encode(text).byteLength > bytes
}

/** The upgrade request of a sync connection: its URL `/sync/v<version>/connect?…` and its sub-protocol. */

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
