/** What a model costs: the person, in credits, and whoever runs it, in money. */
import { creditsFor } from '../../worker/contract/access.ts'
import { creditsText, formatDollars } from './format-price.ts'

type Priced = Parameters<typeof creditsFor>[0] & {
  readonly inputMicroDollarsPerMillionTokens?: number | null | undefined
  readonly outputMicroDollarsPerMillionTokens?: number | null | undefined
}

export const creditsPerMessage = (model: Priced): string => `${creditsText(creditsFor(model))} a message`

/** What its vendor asks; a server of one's own asks nothing. */
export function tokenPrices({ inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output }: Priced): string {
  return input == null || output == null ? '' : `${fromMicro(input)} in · ${fromMicro(output)} out per million tokens`
}

export const modelPrice = (model: Priced): string => [creditsPerMessage(model), tokenPrices(model)].filter(Boolean).join(' · ')

/** In a list that says the unit below. */
export function shortPrice(model: Priced): string {
  const { inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output } = model
  const credits = creditsText(creditsFor(model))
  return input == null || output == null ? credits : `${credits} · ${fromMicro(input)} in · ${fromMicro(output)} out`
}

const fromMicro = (microDollars: number): string => formatDollars(microDollars / 1_000_000)
