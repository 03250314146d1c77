/** Replacements for outside services in development, as `worker/index.dev.ts` adds them to `env`. A production bundle has none. */
import type { ProviderModel } from './chat/model/types.ts'
import type { ToolSource } from './chat/tools/registry.ts'
import type { SearchProvider } from './chat/tools/search-provider.ts'

export type StandIns = {
  /** Answers in place of a model whose provider is not connected. */
  readonly model: (name: string) => ProviderModel
  readonly search: SearchProvider
  readonly tools: readonly ToolSource[]
  /** Replaces `fetch` in Stripe's SDK. */
  readonly paymentFetch: (db: D1Database) => typeof fetch
}
