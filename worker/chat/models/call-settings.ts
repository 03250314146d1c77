/**
 * What every call of a model carries besides the conversation: what its row says, and what follows from the chosen effort. One function
 * for all of them (answers, plans, notes, reports), so that no call can forget a rule of its row.
 *
 * How long to think is said in the SDK's own words, by `reasoning`. Where each fact was read:
 * - The gateway's package puts every call option but the signal into the request, and the gateway maps `reasoning` for whoever serves the
 *   model: measured through it, `low` and `xhigh` differ fourfold (vercel/ai issue 21207). An option under a vendor's name reaches that
 *   vendor alone, and not always (issue 18503), while most open models are served by others than their makers.
 * - How a model is to think beyond that, and what makes it tell its thoughts, are the options of its row: they may stand beside `reasoning`,
 *   which fills in what they leave open, and mean nothing to a model that is told not to think.
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

type Ruled = Pick<RowOf<'model'>, 'options' | 'temperature'>

export function callSettings({ options, temperature }: Ruled, effort: string | null): CallSettings {
  // Known levels only, whatever the order of an older version says.
  const reasoning = effortLevels.find((level) => level === effort)
  return {
    temperature,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(options && reasoning !== 'none' ? { providerOptions: options as ProviderOptions } : {}),
  }
}
