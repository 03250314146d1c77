/**
 * The resources of a Cloudflare account that a deployment uses, and the API's error texts. A new account is empty; requests create
 * everything.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import type { ZodType } from 'zod'

export type Database = {
  readonly uuid: string
  readonly name: string
  readonly sqlite: DatabaseSync
  /** By etag: the files of imports, as received. */
  readonly uploads: Map<string, { readonly etag: string; text: string | null }>
  /** The next state of a running import. */
  pending: ImportState | null
}
export type ImportState = { readonly success: boolean; readonly status?: string; readonly errors?: string[]; readonly at_bookmark: string }

export type Version = { readonly id: string; readonly metadata: WorkerMetadata; readonly modules: ReadonlyMap<string, string> }
export type Binding = { readonly type: string; readonly name: string; readonly [field: string]: unknown }
export type WorkerMetadata = {
  readonly main_module: string
  readonly bindings: readonly Binding[]
  readonly compatibility_date: string
  readonly compatibility_flags: readonly string[]
  readonly observability: unknown
}
export type Worker = {
  readonly name: string
  readonly tag: string
  migrationTag: string | null
  readonly classes: Set<string>
  /** With their values, which the API never returns. */
  readonly secrets: Map<string, string>
  readonly versions: Version[]
  /** Ids of versions, newest first. */
  readonly deployments: string[]
  assets: AssetSession | null
  crons: readonly string[]
  domains: readonly string[]
  subdomain: { enabled: boolean; previews_enabled: boolean }
}
export type AssetSession = {
  readonly manifest: ReadonlyMap<string, { readonly hash: string; readonly size: number }>
  readonly config: { [field: string]: unknown }
}

export type Account = {
  readonly id: string
  readonly databases: Database[]
  readonly namespaces: { readonly id: string; readonly title: string }[]
  readonly buckets: string[]
  readonly workers: Map<string, Worker>
  /** Of every version, by hash. */
  readonly files: Map<string, Buffer>
  readonly sessions: Map<string, AssetSession>
  subdomain: string | null
  hasR2: boolean
}

export const freshAccount = (): Account => ({
  id: randomBytes(16).toString('hex'),
  databases: [],
  namespaces: [],
  buckets: [],
  workers: new Map(),
  files: new Map(),
  sessions: new Map(),
  subdomain: 'somebody',
  hasR2: true,
})

export const newId = () => randomUUID()

/** Cloudflare's refusal: a status, a code and a sentence, in the envelope's `errors`. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.code = code
    this.headers = headers
  }
}

export type PeerCall = {
  readonly method: string
  /** Below the account, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly authorization: string | undefined
  readonly contentType: string
  readonly body: Buffer
}
/** `info` is the envelope's `result_info`. */
export type Answer = { readonly result: unknown; readonly info?: object; readonly status?: number }
/** Captured parts of the path are passed after the call. */
export type Route = readonly [
  method: string,
  path: RegExp,
  answer: (account: Account, call: PeerCall, ...caught: string[]) => Answer | Promise<Answer>,
]

export function jsonOf<T>(call: PeerCall, schema: ZodType<T>): T {
  if (!call.contentType.startsWith('application/json')) throw new Refusal(400, 6000, `expected JSON, got ${call.contentType || 'nothing'}`)
  const parsed = schema.safeParse(JSON.parse(call.body.toString('utf8')))
  if (!parsed.success) throw new Refusal(400, 10001, `the body does not fit: ${parsed.error.message}`)
  return parsed.data
}

export function pageOf<T>(rows: readonly T[], query: URLSearchParams): Answer {
  const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)]
  const result = rows.slice((page - 1) * perPage, page * perPage)
  return { result, info: { page, per_page: perPage, count: result.length, total_count: rows.length } }
}
