/** Names of the makers of models, and their order in the picker and the settings. The icon of a model is the id of its maker. */
import type { ModelAccess } from '../../worker/contract/access.ts'
import { isSelectable } from '../../worker/contract/model-choice.ts'

type MadeModel = ModelAccess & { readonly icon: string }

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

/** Unknown makers follow in the order of the catalogue. Makers without an available model are last. */
const makerOrder = [
  'anthropic',
  'openai',
  'gemini',
  'xai',
  'deepseek',
  'moonshot',
  'zai',
  'qwen',
  'meta',
  'mistral',
  'openrouter',
  'ollama',
  'cloudflare',
  'compatible',
] as const

export function makersOf(models: readonly MadeModel[]): readonly string[] {
  const makers = Array.from(new Set(models.map(({ icon }) => icon)))
  const reached = new Set(models.filter(isSelectable).map(({ icon }) => icon))
  const rank = (maker: string) => {
    const index = (makerOrder as readonly string[]).indexOf(maker)
    return (index === -1 ? makerOrder.length : index) + (reached.has(maker) ? 0 : makerOrder.length + 1)
  }
  return makers.sort((a, b) => rank(a) - rank(b))
}
