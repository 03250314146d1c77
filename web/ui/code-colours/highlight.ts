/** Syntax highlighting: text to tokens. Loads with the first code block; each language loads separately. */
import type { ElementContent, RootContent } from 'hast'
import { createLowlight } from 'lowlight'
import { loadLanguage } from './languages.ts'

/** `className` is null for plain text. The texts of all tokens joined are the code. */
export type Token = { readonly className: string | null; readonly text: string }

const prefix = 'tok-'

const lowlight = createLowlight()

export const isLanguageReady = (language: string): boolean => lowlight.registered(language)

export const prepareLanguage = async (language: string): Promise<void> => {
  if (isLanguageReady(language)) return
  const definition = await loadLanguage(language)
  if (definition) lowlight.register(language, definition)
}

export const tokensOf = (code: string, language: string): readonly Token[] => {
  const tokens: Token[] = []
  collectTokens(lowlight.highlight(language, code, { prefix }).children, null, tokens)
  return tokens
}

/** In nested scopes, the innermost class wins. A sublanguage is an element whose class has no prefix. */
function collectTokens(nodes: readonly (RootContent | ElementContent)[], className: string | null, tokens: Token[]): void {
  for (const node of nodes) {
    if (node.type === 'text') tokens.push({ className, text: node.value })
    else if (node.type === 'element') {
      const own = (node.properties.className as string[]).join(' ')
      collectTokens(node.children, own.startsWith(prefix) ? own : className, tokens)
    }
  }
}
