/**
 * The settings of every model call (answers, plans, notes, reports), from the model's row and the chosen effort.
 *
 * The effort is the SDK's `reasoning` option:
 * - The gateway's package sends every call option except the signal. The gateway maps `reasoning` for the provider that serves the model
 *   (vercel/ai issue 21207).
 * - An option under a provider's name reaches only that provider, and not always (issue 18503). Most open models are served by other providers.
 * - The row has other reasoning options. They are sent together with `reasoning`, and not with effort `none`.
 * - The SDK lowers an effort that a model does not have (ai's docs, "Reasoning"), so a row lists only the levels of its model. Servers of the
 *   OpenAI protocol receive the level as `reasoning_effort`.
 */

import { effortLevels } from '../../contract/models/effort.ts'
import type { Fallback } from '../../contract/models/fallbacks.ts'
import { marksCache } from '../../contract/models/prompt-caching.ts'
import type { RowOf } from '../../contract/schema.ts'
import type { GenerationInput } from '../../contract/threads/turn.ts'
import type { CallOptions } from './types.ts'

export type ProviderOptions = NonNullable<CallOptions['providerOptions']>

export type CallSettings = {
  readonly reasoning?: CallOptions['reasoning']
  readonly providerOptions?: ProviderOptions
  /** Null: not sent. */
  readonly temperature?: number | null | undefined
  readonly maxOutputTokens?: number | null | undefined
}

type SettingColumns = Pick<RowOf<'model'>, 'options' | 'temperature'> & Partial<Pick<RowOf<'model'>, 'maxOutputTokens'>>

export function callSettings(
  { options, temperature, maxOutputTokens }: SettingColumns,
  effort: string | null,
  fallbacks: readonly Pick<Fallback, 'model'>[] = [],
): CallSettings {
  // The command has the level as text.
  const reasoning = effortLevels.find((level) => level === effort)
  const providerOptions = {
    ...(options && reasoning !== 'none' ? (options as ProviderOptions) : {}),
    // The gateway tries these models in their order, with the same settings
    // (https://vercel.com/docs/ai-gateway/models-and-providers/model-fallbacks).
    ...(fallbacks.length > 0 ? { gateway: { models: fallbacks.map(({ model }) => model) } } : {}),
  }
  return {
    temperature,
    maxOutputTokens,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(Object.keys(providerOptions).length > 0 ? { providerOptions } : {}),
  }
}

type CacheableRequest = Pick<GenerationInput, 'isHistoryCut'> & { readonly model: Pick<RowOf<'model'>, 'model' | 'provider'> }

/**
 * A later request that begins with the same messages reads the cache: the next step of a turn with tools, or the next turn. If the history is
 * cut, the next turn begins with other messages, so only further steps can read the cache.
 */
export const isCacheable = ({ model, isHistoryCut = false }: CacheableRequest, hasTools: boolean): boolean =>
  marksCache(model) && (hasTools || !isHistoryCut)
