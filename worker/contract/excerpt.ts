/** The words of a search, and the excerpt of a match. Pure; used by the page and the server. */

const maxExcerptChars = 90

export const wordsOf = (query: string): readonly string[] => query.toLowerCase().split(/\s+/).filter(Boolean)

/** An excerpt around the first word, or the beginning of the text without words. Null if a word does not occur. */
export function excerptOf(words: readonly string[], text: string, maxChars = maxExcerptChars): string | null {
  const folded = text.toLowerCase()
  if (!words.every((word) => folded.includes(word))) return null
  const at = folded.indexOf(words[0] ?? '')
  // Starts up to `leadChars` before the match, at a word boundary.
  const from = at <= leadChars ? 0 : text.indexOf(' ', at - leadChars) + 1 || at
  const start = Math.min(from, at)
  const cut = text
    .slice(start, start + maxChars)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${cut}${start + maxChars < text.length ? '…' : ''}`
}

const leadChars = 24
