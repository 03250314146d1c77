/**
 * How each maker's API is told how long to think: data, by the slug's prefix, in the option names of the AI SDK's provider packages,
 * which the gateway passes on to them. A maker that is not listed takes the common name; servers of the OpenAI protocol take theirs.
 */
import type { RowOf } from '../../contract/schema.ts'
import type { CallOptions } from './vendor-model.ts'

export type ProviderOptions = NonNullable<CallOptions['providerOptions']>

type OptionsOf = (effort: string) => ProviderOptions

const makers: { readonly [prefix: string]: OptionsOf } = {
  // The thoughts themselves are never told; a summary is.
  openai: (effort) => ({ openai: { reasoningEffort: effort, ...(effort === 'none' ? {} : { reasoningSummary: 'auto' }) } }),
  anthropic: (effort) => ({ anthropic: { thinking: { type: 'adaptive' }, effort } }),
  google: (effort) => ({ google: { thinkingConfig: { thinkingLevel: effort, includeThoughts: true } } }),
  spacexai: (effort) => ({ xai: { reasoningEffort: effort } }),
  deepseek: (effort) => ({ deepseek: { thinking: { type: 'enabled' }, reasoningEffort: effort } }),
}

/** Undefined for a turn without effort: a model without levels is told nothing. `connection` is the SDK's name of who is called. */
export function effortOptions(connection: string, slug: string, effort: string | null): ProviderOptions | undefined {
  if (effort === null) return undefined
  if (connection !== 'gateway') return { openaiCompatible: { reasoningEffort: effort } }
  const prefix = slug.slice(0, slug.indexOf('/'))
  return makers[prefix]?.(effort) ?? { [prefix]: { reasoningEffort: effort } }
}

/** All that a call carries besides: what the row says of every call, then what follows from the chosen effort. */
export function callOptions(
  connection: string,
  { model, options }: Pick<RowOf<'model'>, 'model' | 'options'>,
  effort: string | null,
): ProviderOptions | undefined {
  const chosen = effortOptions(connection, model, effort)
  return options ? ({ ...options, ...chosen } as ProviderOptions) : chosen
}
