/** The price of a model: in credits for the user and in dollars for the operator. */
import { creditsFor } from '../../worker/contract/access.ts'
import { libText } from '../lib/texts/en.ts'
import { creditsText, formatDollars } from './format.ts'

export type Priced = Parameters<typeof creditsFor>[0] & {
  readonly inputMicroDollarsPerMillionTokens?: number | null | undefined
  readonly outputMicroDollarsPerMillionTokens?: number | null | undefined
}

export const creditsPerMessage = (model: Priced): string => libText('creditsPerMessage', { credits: creditsText(creditsFor(model)) })

/** The price of the provider; a self-hosted model is free. */
export function tokenPrices({ inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output }: Priced): string {
  return input == null || output == null ? '' : libText('tokenPrices', { input: fromMicro(input), output: fromMicro(output) })
}

export const modelPrice = (model: Priced): string => [creditsPerMessage(model), tokenPrices(model)].filter(Boolean).join(' · ')

export const fromMicro = (microDollars: number): string => formatDollars(microDollars / 1_000_000)
