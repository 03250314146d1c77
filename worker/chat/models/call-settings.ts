/**
 * What every call of a model carries besides the conversation: what its row says, and what follows from the chosen effort. One function
 * for all of them (answers, plans, notes, reports), so that no call can forget a rule of its row.
 *
 * How long to think is said in the SDK's own words, by `reasoning`. Where each fact was read:
 * - The gateway's package puts every call option but the signal into the request, and the gateway maps `reasoning` for whoever serves the
 *   model: measured through it, `low` and `xhigh` differ fourfold (vercel/ai issue 21207). An option under a vendor's name reaches that
 *   vendor alone, and not always (issue 18503), while most open models are served by others than their makers.
 * - A level is sent on as it is where the model has it and lowered where not (ai's docs, "Reasoning"); so a row lists only levels that its
 *   model has. Servers of the OpenAI protocol get it as `reasoning_effort`.
 */
import { effortLevels } from '../../contract/effort.ts'
import type { RowOf } from '../../contract/schema.ts'
import type { CallOptions } from './vendor-model.ts'

export type ProviderOptions = NonNullable<CallOptions['providerOptions']>

export type CallSettings = {
  readonly reasoning?: CallOptions['reasoning']
  readonly providerOptions?: ProviderOptions
  /** Null: the model is told none. */
  readonly temperature?: number | null | undefined
}

/**
 * By the maker in a slug: what makes a thinking model tell its thoughts. These settings may stand beside `reasoning`, which fills in what
 * they leave open. Whoever is not listed tells them unasked.
 */
const toldThoughts: { readonly [maker: string]: ProviderOptions } = {
  // The thoughts themselves are never told; a summary is, when asked for (@ai-sdk/openai 4.0.118, options of the Responses API).
  openai: { openai: { reasoningSummary: 'auto' } },
  // From Opus 4.7 on the blocks come without text unless summaries are asked for (@ai-sdk/anthropic 4.0.105, docs, "Thinking Display");
  // adaptive is the only way of thinking that all models with levels have, Sonnet 4.6 and later (its model catalog).
  anthropic: { anthropic: { thinking: { type: 'adaptive', display: 'summarized' } } },
  // Kept to itself unless asked (@ai-sdk/google 4.0.121, which merges this with the level it derives from `reasoning`).
  google: { google: { thinkingConfig: { includeThoughts: true } } },
}

type Ruled = Pick<RowOf<'model'>, 'model' | 'options' | 'temperature'>

export function callSettings({ model, options, temperature }: Ruled, effort: string | null): CallSettings {
  // Known levels only, whatever the order of an older version says.
  const reasoning = effortLevels.find((level) => level === effort)
  const thoughts = reasoning === undefined || reasoning === 'none' ? undefined : toldThoughts[model.split('/')[0] ?? '']
  const providerOptions = { ...options, ...thoughts } as ProviderOptions
  return {
    temperature,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(Object.keys(providerOptions).length > 0 ? { providerOptions } : {}),
  }
}
