/** The bindings, variables and secrets of the Worker. Objects are typed by their calls, so nothing of their code is imported. */
import type { GenerationCalls } from './contract/threads/turn.ts'
import type { SessionEndCalls, UserSyncCalls } from './contract/user-sync-calls.ts'
import type { SettingName } from './setting-definitions.ts'
import type { StandIns } from './stand-ins.ts'

type ObjectsWith<Calls> = DurableObjectNamespace<Rpc.DurableObjectBranded & Calls>

/** `CONTENT_DB_…`: worker/db/shards.ts. */
type Bindings = { readonly [binding in `CONTENT_DB_${number}`]?: D1Database } & {
  readonly DB: D1Database
  readonly ASSETS: Fetcher
  readonly FIRST_PAGES?: KVNamespace
  /** Attachments. Required unless the feature `files` is off. */
  readonly FILES?: R2Bucket
  /** Workers AI and Email Service. Deployments bind them, local runs do not. */
  readonly AI?: Ai
  readonly EMAIL?: SendEmail
  /** In the container: a network without private addresses. Without it, the network of `fetch` has none. */
  readonly PUBLIC_INTERNET?: Fetcher
  /** Converts and scales images. Without it, the browser alone does. */
  readonly IMAGES?: ImagesBinding
  readonly USER_SYNC: ObjectsWith<UserSyncCalls>
  readonly GENERATION: ObjectsWith<GenerationCalls & SessionEndCalls>
  /** Added by `worker/index.dev.ts`; no configuration can add it. */
  readonly STAND_INS?: StandIns
}

/** Settings are text. Only `settings.ts` reads them. */
export type Env = Bindings & { readonly [name in SettingName]?: string }
