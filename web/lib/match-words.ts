/** How well a text answers what somebody types to find it. Pure. */

export const wordsOf = (query: string): readonly string[] => query.toLowerCase().split(/\s+/).filter(Boolean)

/**
 * 0 when the text begins with the first word, 1 when every word begins one of its own, 2 when they are only somewhere in it; null when one
 * of them is nowhere. Smaller is better.
 */
export function matchRank(words: readonly string[], text: string): 0 | 1 | 2 | null {
  const folded = text.toLowerCase()
  if (!words.every((word) => folded.includes(word))) return null
  if (!words.every((word) => beginsWord(folded, word))) return 2
  return folded.startsWith(words[0] ?? '') ? 0 : 1
}

const beginsWord = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !isLetter.test(text[at - 1] ?? '')) return true
  return false
}

const isLetter = /[\p{L}\p{N}]/u

/** The words around the first of them in a longer text; null when one is missing. */
export function excerptOf(words: readonly string[], text: string, maxChars: number): string | null {
  const folded = text.toLowerCase()
  if (words.length === 0 || !words.every((word) => folded.includes(word))) return null
  const at = folded.indexOf(words[0] ?? '')
  // A little of what comes before it, from the beginning of a word on.
  const from = at <= leadChars ? 0 : text.indexOf(' ', at - leadChars) + 1 || at
  const start = Math.min(from, at)
  const cut = text
    .slice(start, start + maxChars)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${cut}${start + maxChars < text.length ? '…' : ''}`
}

const leadChars = 24
