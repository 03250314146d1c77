/** How well a text answers what somebody types to find it. Pure. */

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
