/**
 * Credits and access of models of connected servers, by the price in their list, similar to the rows of the migrations. Without a price, a
 * message costs one credit and everybody may use the model. FOUND_MODELS_ACCESS may restrict this further.
 */

import type { RefusalCode } from '../../contract/errors.ts'
import type { Access } from '../../contract/model-table.ts'
import type { ModelConnections } from '../model/providers.ts'
import type { ListedModel } from './listed-models.ts'

export type Terms = { readonly credits: number; readonly access: Access }

/** By the higher of the input and output price, in micro-dollars per million tokens. The last entry has no limit. */
const byPrice: readonly (Terms & { readonly upTo: number })[] = [
  { upTo: 2_500_000, credits: 1, access: 'public' },
  { upTo: 5_000_000, credits: 1, access: 'account_required' },
  { upTo: 10_000_000, credits: 2, access: 'account_required' },
  { upTo: 15_000_000, credits: 5, access: 'premium_required' },
  { upTo: 30_000_000, credits: 8, access: 'premium_required' },
  { upTo: Number.POSITIVE_INFINITY, credits: 20, access: 'premium_required' },
]

const withoutPrice: Terms = { credits: 1, access: 'public' }

export function termsFor(prices: ListedModel['prices'], least: Access): Terms {
  const price = prices && Math.max(prices.input, prices.output)
  const { credits, access } = byPrice.find(({ upTo }) => price !== null && price <= upTo) ?? withoutPrice
  return { credits, access: stricter(access, least) }
}

const strictness = ['public', 'account_required', 'premium_required'] as const satisfies readonly Access[]

export const stricter = (a: Access, b: Access): Access => (strictness.indexOf(a) > strictness.indexOf(b) ? a : b)

/** OpenRouter's names of the makers in the catalogue. Only their models are offered from its list. */
export const openRouterMakers: readonly string[] = [
  ...['openai', 'anthropic', 'google', 'x-ai', 'deepseek', 'meta-llama', 'mistralai', 'qwen', 'moonshotai', 'z-ai'],
]
/** The number of newest models of each maker. */
export const newestOfMaker = 5

/** In development, the demo model replaces models that are not connected. */
export function unreached(connections: ModelConnections, provider: string): RefusalCode | null {
  const { standIns, gateway, openrouter, ollama, compatible, workersAi } = connections
  if (standIns !== null) return null
  const isConnected: { readonly [provider: string]: boolean } = {
    gateway: gateway !== null || compatible !== null,
    openrouter: openrouter !== null,
    ollama: ollama !== null,
    compatible: compatible !== null,
    'workers-ai': workersAi !== null,
  }
  return isConnected[provider] ? null : 'model_not_connected'
}
