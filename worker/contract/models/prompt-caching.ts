/**
 * Anthropic caches a prompt only if the request marks where the cached part ends; the other providers of the gateway cache without a request.
 * Anthropic charges 1.25 times the input price for tokens that it writes to the cache, and a tenth for tokens that it reads within five minutes
 * (https://platform.claude.com/docs/en/build-with-claude/prompt-caching, 2026-11-24).
 */

export type CachingModel = { readonly model?: string | undefined; readonly provider?: string | undefined }

/** True if requests to the model mark what is to be cached. */
export const marksCache = ({ model, provider }: CachingModel): boolean => provider === 'gateway' && model?.startsWith('anthropic/') === true

/** The options of a part or message that ends what is to be cached. */
export const cacheEnd = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

const cacheWriteFactor = 1.25

/** The price of input that is written to the cache. No other provider charges for the write. */
export const cacheWritePrice = (model: CachingModel, inputPrice: number): number =>
  marksCache(model) ? inputPrice * cacheWriteFactor : inputPrice
