/** Marks of the makers of models, in the text colour. */
import { cx } from '../lib/cx.ts'
import symbols from './maker-icons.svg?no-inline'
import { t } from './texts/en.ts'

/** Names by the id of the symbol. */
const names: Record<string, string> = {
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

const idOf = (maker: string) => aliases[maker] ?? maker

export const makerName = (maker: string): string => (maker === 'compatible' ? t('ownServer') : (names[idOf(maker)] ?? maker))

type MakerIconProps = { readonly maker: string; readonly className?: string }

/** Decorative. An unknown maker gets its initial. */
export function MakerIcon({ maker, className }: MakerIconProps) {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" className={cx('size-4 shrink-0', className)} aria-hidden="true">
      {maker === 'compatible' || idOf(maker) in names ? (
        <use href={`${symbols}#${idOf(maker)}`} />
      ) : (
        <text x="12" y="17" textAnchor="middle" fontSize="14" fontWeight="600">
          {maker.slice(0, 1).toUpperCase()}
        </text>
      )}
    </svg>
  )
}
