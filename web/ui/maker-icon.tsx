/** Icons for the makers of models: simple shapes, not their logos, in the text colour. */
import { cx } from '../lib/cx.ts'
import { t } from './texts/t.ts'

type Mark = {
  readonly name: string
  /** Stroked, in a box of 20 by 20. */
  readonly path: string
  /** Filled. */
  readonly dots?: string
}

const marks: Record<string, Mark> = {
  openai: { name: 'OpenAI', path: 'M10 2.8 16.2 6.4v7.2L10 17.2 3.8 13.6V6.4zM10 10v7.2M10 10l6.2-3.6M10 10 3.8 6.4' },
  anthropic: { name: 'Anthropic', path: 'm3.5 16 6.5-12 6.5 12M6.2 11.4h7.6' },
  gemini: { name: 'Google Gemini', path: 'M2.8 10a4.6 4.6 0 1 0 9.2 0 4.6 4.6 0 1 0-9.2 0M8 10a4.6 4.6 0 1 0 9.2 0 4.6 4.6 0 1 0-9.2 0' },
  xai: {
    name: 'xAI',
    path: 'M4.5 16 15.5 4',
    dots: 'M4.5 6a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0M12.5 14a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0',
  },
  deepseek: { name: 'DeepSeek', path: 'M2.5 7.5c2.5-3 5-3 7.5 0s5 3 7.5 0M2.5 13.5c2.5-3 5-3 7.5 0s5 3 7.5 0' },
  meta: { name: 'Meta', path: 'M3 15.5V9a3.5 3.5 0 0 1 7 0v6.5M10 9a3.5 3.5 0 0 1 7 0v6.5' },
  mistral: { name: 'Mistral', path: 'M3 5.5h9.5a2 2 0 1 0-2-2M3 10h12.5M3 14.5h7.5a2 2 0 1 1-2 2' },
  qwen: { name: 'Qwen', path: 'M10 2.6 17.4 10 10 17.4 2.6 10z', dots: 'M8 10a2 2 0 1 0 4 0 2 2 0 1 0-4 0' },
  moonshot: { name: 'Moonshot', path: 'M16.6 12.4A7.2 7.2 0 1 1 8.2 3.2a5.8 5.8 0 0 0 8.4 9.2z' },
  zai: { name: 'Zai', path: 'M4.5 5h11l-11 10h11' },
  ollama: {
    name: 'Ollama',
    path: 'M5 17V8a5 5 0 0 1 10 0v9M5.6 5.2V2.8M14.4 5.2V2.8',
    dots: 'M6.9 9.5a1.1 1.1 0 1 0 2.2 0 1.1 1.1 0 1 0-2.2 0M10.9 9.5a1.1 1.1 0 1 0 2.2 0 1.1 1.1 0 1 0-2.2 0',
  },
  cloudflare: {
    name: 'Workers AI',
    path: 'M5.2 14.5a3 3 0 0 1 .5-6 4.6 4.6 0 0 1 8.7-.6 3.4 3.4 0 0 1 .9 6.6zM5.2 14.5h6.3',
  },
  compatible: {
    name: '',
    path: 'M4 4.5h12v4.6H4zM4 11h12v4.6H4z',
    dots: 'M5.8 6.8a1 1 0 1 0 2 0 1 1 0 1 0-2 0M5.8 13.3a1 1 0 1 0 2 0 1 1 0 1 0-2 0',
  },
  openrouter: {
    name: 'OpenRouter',
    path: 'M3 10h4.5c3 0 3-5 6-5H17M7.5 10c3 0 3 5 6 5H17',
    dots: 'M2.1 10a1.5 1.5 0 1 0 3 0 1.5 1.5 0 1 0-3 0',
  },
}

/** The catalogue uses the model family as the icon name of some makers. */
const aliases: Record<string, string> = { google: 'gemini', grok: 'xai', claude: 'anthropic', kimi: 'moonshot', glm: 'zai', llama: 'meta' }

const markOf = (maker: string) => marks[aliases[maker] ?? maker]

export const makerName = (maker: string): string => (maker === 'compatible' ? t('ownServer') : (markOf(maker)?.name ?? maker))

type MakerIconProps = { readonly maker: string; readonly className?: string; readonly label?: boolean }

/** Decorative by default; with `label` it has an accessible name. An unknown maker gets its initial. */
export function MakerIcon({ maker, className, label = false }: MakerIconProps) {
  const mark = markOf(maker)
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: named by aria-label or hidden, in the spread below
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      className={cx('size-4 shrink-0', className)}
      {...(label ? { role: 'img', 'aria-label': makerName(maker) } : { 'aria-hidden': true })}
    >
      {mark ? (
        <>
          <path d={mark.path} />
          {mark.dots && <path d={mark.dots} fill="currentColor" stroke="none" />}
        </>
      ) : (
        <text x="10" y="14" textAnchor="middle" fontSize="12" fontWeight="600" fill="currentColor" stroke="none">
          {maker.slice(0, 1).toUpperCase()}
        </text>
      )}
    </svg>
  )
}
