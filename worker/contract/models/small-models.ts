/** The models that write titles and summaries and find facts, by the connection that has them. Without reasoning, which may use up the tokens of a title. */
import type { ModelRequest, TokenPrices } from './model-use.ts'

type SmallModel = TokenPrices & Pick<ModelRequest, 'model' | 'provider'>

export const smallModels = {
  /** 15 cents per million tokens either way (the catalogue of @ai-sdk/mistral 4.0.87). */
  gateway: {
    model: 'mistral/ministral-8b',
    provider: 'gateway',
    inputMicroDollarsPerMillionTokens: 150_000,
    outputMicroDollarsPerMillionTokens: 150_000,
  },
  /** https://developers.cloudflare.com/workers-ai/models/granite-4.0-h-micro/ */
  'workers-ai': {
    model: '@cf/ibm-granite/granite-4.0-h-micro',
    provider: 'workers-ai',
    inputMicroDollarsPerMillionTokens: 17_000,
    outputMicroDollarsPerMillionTokens: 112_000,
  },
} as const satisfies { readonly [provider: string]: SmallModel }
