/** Suggestions: public servers of well-known services, as of 2026-11. */
export type KnownServer = { readonly name: string; readonly url: string; readonly about: KnownServerAbout }

type KnownServerAbout = 'aboutDeepWiki' | 'aboutContext7' | 'aboutHuggingFace' | 'aboutLinear' | 'aboutNotion' | 'aboutSentry'

export const knownServers: readonly KnownServer[] = [
  { name: 'DeepWiki', url: 'https://mcp.deepwiki.com/mcp', about: 'aboutDeepWiki' },
  { name: 'Context7', url: 'https://mcp.context7.com/mcp', about: 'aboutContext7' },
  { name: 'Hugging Face', url: 'https://huggingface.co/mcp', about: 'aboutHuggingFace' },
  { name: 'Linear', url: 'https://mcp.linear.app/mcp', about: 'aboutLinear' },
  { name: 'Notion', url: 'https://mcp.notion.com/mcp', about: 'aboutNotion' },
  { name: 'Sentry', url: 'https://mcp.sentry.dev/mcp', about: 'aboutSentry' },
]
