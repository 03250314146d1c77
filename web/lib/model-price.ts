/** The price of a model: in credits for the user and in dollars for the operator. */
import { creditsFor } from '../../worker/contract/access.ts'
import { creditsText, formatDollars } from './format.ts'

type Priced = Parameters<typeof creditsFor>[0] & {
  readonly inputMicroDollarsPerMillionTokens?: number | null | undefined
  readonly outputMicroDollarsPerMillionTokens?: number | null | undefined
}

export const creditsPerMessage = (model: Priced): string => `${creditsText(creditsFor(model))} a message`

/** The price of the provider; a self-hosted model is free. */
export function tokenPrices({ inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output }: Priced): string {
  return input == null || output == null ? '' : `${fromMicro(input)} in · ${fromMicro(output)} out per million tokens`
}

export const modelPrice = (model: Priced): string => [creditsPerMessage(model), tokenPrices(model)].filter(Boolean).join(' · ')

/** For a list that shows the unit below. */
export function shortPrice(model: Priced): string {
  const { inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output } = model
  const credits = creditsText(creditsFor(model))
  return input == null || output == null ? credits : `${credits} · ${fromMicro(input)} in · ${fromMicro(output)} out`
}

const fromMicro = (microDollars: number): string => formatDollars(microDollars / 1_000_000)
