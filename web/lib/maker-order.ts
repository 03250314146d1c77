/** The makers of models, in the order of the lists. */
import type { ModelAccess } from '../../worker/contract/access.ts'
import { isSelectable } from '../../worker/contract/models/model-choice.ts'

type MadeModel = ModelAccess & { readonly icon: string }

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
