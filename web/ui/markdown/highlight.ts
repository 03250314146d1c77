/** Syntax highlighting: text to tokens. Loads with the first code block; each language loads separately. */
import hljs from 'highlight.js/lib/core'
import { loadLanguage } from './languages.ts'

/** `scope` is the CSS class, null for plain text. The texts of all tokens joined are the code. */
export type Token = { readonly scope: string | null; readonly text: string }

export const isLanguageReady = (language: string): boolean => hljs.getLanguage(language) !== undefined

export const prepareLanguage = async (language: string): Promise<void> => {
  if (isLanguageReady(language)) return
  const definition = await loadLanguage(language)
  if (definition) hljs.registerLanguage(language, definition)
}

export const tokensOf = (code: string, language: string): readonly Token[] =>
  tokensFromHtml(hljs.highlight(code, { language, ignoreIllegals: true }).value)

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" }

/** highlight.js emits only spans with a class and text with five entities. */
export const tokensFromHtml = (html: string): readonly Token[] => {
  const tokens: Token[] = []
  const scopes: (string | null)[] = []
  for (const [piece] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+/g)) {
    if (piece === '</span>') scopes.pop()
    else if (piece.startsWith('<')) scopes.push(scopeOf(piece) ?? scopes.at(-1) ?? null)
    else
      tokens.push({
        scope: scopes.at(-1) ?? null,
        text: piece.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity),
      })
  }
  return tokens
}

const scopeOf = (tag: string): string | null => /hljs-([a-z_-]+)/.exec(tag)?.[1] ?? null
