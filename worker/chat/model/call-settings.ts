/**
 * The settings of every model call (answers, plans, notes, reports), from the model's row and the chosen effort.
 *
 * The effort is the SDK's `reasoning` option. Sources:
 * - The gateway's package sends every call option but the signal, and the gateway maps `reasoning` for the provider that serves the model:
 *   measured, `low` and `xhigh` differ fourfold (vercel/ai issue 21207). An option under a provider's name reaches only that provider, and not
 *   always (issue 18503), while most open models are served by other providers than their makers.
 * - Other reasoning options are in the row. They apply beside `reasoning`, and have no effect with reasoning off.
 * - A level that the model has is sent as it is, others are lowered (ai's docs, "Reasoning"), so a row lists only levels of its model. Servers
 *   of the OpenAI protocol receive it as `reasoning_effort`.
 *
 * The gateway tries the fallbacks in this order with the same settings (https://vercel.com/docs/ai-gateway/models-and-providers/model-fallbacks).
 */
import { effortLevels } from '../../contract/effort.ts'
import type { Fallback } from '../../contract/fallbacks.ts'
import type { RowOf } from '../../contract/schema.ts'
import type { CallOptions } from './types.ts'

export type ProviderOptions = NonNullable<CallOptions['providerOptions']>

export type CallSettings = {
  readonly reasoning?: CallOptions['reasoning']
  readonly providerOptions?: ProviderOptions
  /** Null: not sent. */
  readonly temperature?: number | null | undefined
  readonly maxOutputTokens?: number | null | undefined
}

type Ruled = Pick<RowOf<'model'>, 'options' | 'temperature'> & Partial<Pick<RowOf<'model'>, 'provider' | 'maxOutputTokens'>>

export function callSettings(
  { options, temperature, provider, maxOutputTokens }: Ruled,
  effort: string | null,
  fallbacks: readonly Pick<Fallback, 'model'>[] = [],
): CallSettings {
  // Only known levels: an order of an older version may have others.
  const reasoning = effortLevels.find((level) => level === effort)
  const providerOptions = {
    ...(options && reasoning !== 'none' ? (options as ProviderOptions) : {}),
    ...(fallbacks.length > 0 ? { gateway: { models: fallbacks.map(({ model }) => model) } } : {}),
  }
  return {
    temperature,
    // Servers of the OpenAI protocol may reject a limit, as OpenAI does for reasoning models. Their operator pays for them.
    ...(provider === 'compatible' ? {} : { maxOutputTokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(Object.keys(providerOptions).length > 0 ? { providerOptions } : {}),
  }
}
