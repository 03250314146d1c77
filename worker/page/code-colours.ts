/**
 * The colours of code on shared pages: spans with the classes of the app, drawn on the server. The highlighter and each language load with the
 * first code that needs them. Code that could take long stays plain.
 */
import type { Token } from '../../web/ui/code-colours/highlight.ts'
import { languageOf } from '../../web/ui/code-colours/languages.ts'

/** Chosen: a file of 200 lines. Measured: hostile code within these limits takes 9 µs a character, other code less than 1 µs. */
const maxChars = 8000
/** Chosen: longer than lines of code that somebody reads. */
const maxLineChars = 400
/**
 * Words without a mark between them, also on several lines. Chosen: longer than a sentence. The patterns of most languages backtrack over such a
 * run, and 10,000 characters of it take a second.
 */
const wordRun = /[\w\s*&]{400}/
/** Links in brackets take a time that grows with the third power of their number. */
const slowLanguages: ReadonlySet<string> = new Set(['markdown'])

/** The language id, or null for code that stays plain. */
export function colouredLanguage(code: string, name: string): string | null {
  const language = languageOf(name)
  if (language === null || slowLanguages.has(language) || code.length > maxChars) return null
  return wordRun.test(code) || code.split('\n').some(({ length }) => length > maxLineChars) ? null : language
}

/** Null if the highlighter gives up: it counts its steps. */
export async function colouredCode(code: string, language: string): Promise<readonly Token[] | null> {
  try {
    const { prepareLanguage, tokensOf } = await import('../../web/ui/code-colours/highlight.ts')
    await prepareLanguage(language)
    return tokensOf(code, language)
  } catch {
    return null
  }
}
