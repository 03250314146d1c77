/**
 * What a found model costs here and who may use it, as data. Where its list has a price, that decides, about as in the rows of the
 * migrations; without one a message costs a credit and is for everybody. FOUND_MODELS_ACCESS may ask for more, never for less.
 */
import type { Access } from '../../contract/schema.ts'
import type { ListedModel } from './listed-models.ts'

export type Terms = { readonly credits: number; readonly access: Access }

/** By the dearer direction, in micro-dollars per million tokens; the last is for everything above. */
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

/** How OpenRouter spells the makers of this product, whose models are offered from its list of hundreds. */
export const openRouterMakers: readonly string[] = [
  ...['openai', 'anthropic', 'google', 'x-ai', 'deepseek', 'meta-llama', 'mistralai', 'qwen', 'moonshotai', 'z-ai'],
]
/** Of each maker, the newest. */
export const newestOfMaker = 5
