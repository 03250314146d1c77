// The state of the loopback Cloudflare account, and the form of its requests and refusals.
import type { DatabaseSync } from 'node:sqlite'

export type Binding = { readonly type: string; readonly name: string; readonly [field: string]: unknown }
export type Metadata = {
  readonly bindings: readonly Binding[]
  readonly keep_bindings?: readonly string[]
  readonly migrations?: { readonly new_tag: string }
  readonly main_module: string
  readonly compatibility_date: string
  readonly compatibility_flags: readonly string[]
  readonly assets?: { readonly jwt: string; readonly config: { readonly run_worker_first?: readonly string[] } }
  readonly observability?: { readonly enabled: boolean; readonly logs: { readonly invocation_logs: boolean } }
}
export type Version = { readonly id: string; readonly metadata: Metadata; readonly modules: ReadonlyMap<string, string> }

export class Worker {
  readonly secrets = new Map<string, string>()
  /** The last one is deployed. */
  readonly versions: Version[] = []
  /** Static files by path. */
  readonly files = new Map<string, Buffer>()
  migrationTag: string | undefined
  crons: readonly string[] = []
  domains: readonly string[] = []
  subdomain = { enabled: false, previews_enabled: false }
}

export type Database = { readonly uuid: string; readonly name: string; readonly sqlite: DatabaseSync; importFile: Buffer }
export type Account = {
  readonly id: string
  readonly databases: Database[]
  readonly namespaces: { readonly id: string; readonly title: string }[]
  readonly buckets: string[]
  readonly workers: Map<string, Worker>
  hasR2: boolean
}

/** A refusal in the form of the API. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** `path` is below the account. */
export type Call = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly authorization: string | undefined
  readonly contentType: string
  readonly body: Buffer
}
/** The `result` of the response. Groups of the path follow the call. */
export type Route = readonly [method: string, path: RegExp, answer: (call: Call, ...groups: string[]) => unknown]

export const parsed = ({ body }: Call) => JSON.parse(body.toString('utf8'))
