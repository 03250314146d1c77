/** Models as the picker and the settings show them: makers and prices. The icon of a model is the id of its maker. */
import { creditsFor } from '../../worker/contract/access.ts'
import { creditsText, formatDollars } from './format.ts'
import { libText } from './texts/en.ts'

/** Names by the id of the symbol. */
export const makerNames: Record<string, string> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Google Gemini',
  xai: 'xAI',
  deepseek: 'DeepSeek',
  meta: 'Meta',
  mistral: 'Mistral',
  qwen: 'Qwen',
  moonshot: 'Moonshot',
  zai: 'Z.ai',
  ollama: 'Ollama',
  cloudflare: 'Workers AI',
  openrouter: 'OpenRouter',
}

/** The catalogue uses the model family as the icon name of some makers. */
const aliases: Record<string, string> = { google: 'gemini', grok: 'xai', claude: 'anthropic', kimi: 'moonshot', glm: 'zai', llama: 'meta' }

export const makerIdOf = (maker: string) => aliases[maker] ?? maker

export const knownMakerName = (maker: string): string => makerNames[makerIdOf(maker)] ?? maker

export type Priced = Parameters<typeof creditsFor>[0] & {
  readonly inputMicroDollarsPerMillionTokens?: number | null | undefined
  readonly outputMicroDollarsPerMillionTokens?: number | null | undefined
}

export const creditsPerMessage = (model: Priced): string => libText('creditsPerMessage', { credits: creditsText(creditsFor(model)) })

/** The price of the provider; a self-hosted model is free. */
export function tokenPrices({ inputMicroDollarsPerMillionTokens: input, outputMicroDollarsPerMillionTokens: output }: Priced): string {
  return input == null || output == null ? '' : libText('tokenPrices', { input: fromMicro(input), output: fromMicro(output) })
}

const fromMicro = (microDollars: number): string => formatDollars(microDollars / 1_000_000)
