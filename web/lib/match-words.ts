/** Ranks how well texts match search words. No side effects. */

/**
 * 0 if the text starts with the first word, 1 if every word starts a word of the text, 2 if every word occurs in it, null otherwise.
 * Smaller is better.
 */
export function matchRank(words: readonly string[], text: string): 0 | 1 | 2 | null {
  const folded = text.toLowerCase()
  if (!words.every((word) => folded.includes(word))) return null
  if (!words.every((word) => beginsWord(folded, word))) return 2
  return folded.startsWith(words[0] ?? '') ? 0 : 1
}

/** `usable`: can be selected. `refused`: cannot be selected by this user. `retired`: cannot be selected by any user. */
type Standing = 'usable' | 'refused' | 'retired'

type Findable = {
  readonly title: string
  /** Additional search words. */
  readonly words: string | undefined
  readonly standing: Standing | undefined
}

/** The rank of the title; 3 if only the other words match, 4 if only parts of them match. */
type Match = 0 | 1 | 2 | 3 | 4

type Found<T> = { readonly item: T; readonly match: Match }

/**
 * All matches, best first: exact titles, then title matches with refused items after usable ones, then matches by other words in the same
 * order. Retired items come last.
 */
export function foundIn<T>(items: readonly T[], words: readonly string[], read: (item: T) => Findable): readonly Found<T>[] {
  const exact = words.join(' ')
  return items
    .flatMap((item) => {
      const { title, words: others, standing = 'usable' } = read(item)
      const byTitle = matchRank(words, title)
      const byAll = byTitle ?? matchRank(words, `${title} ${others ?? ''}`)
      if (byAll === null) return []
      const match: Match = byTitle ?? (byAll === 2 ? 4 : 3)
      const isExact = title.trim().toLowerCase().replace(/\s+/g, ' ') === exact
      const keys = [isExact ? 0 : 1, standing === 'retired' ? 1 : 0, byTitle === null ? 1 : 0, standing === 'refused' ? 1 : 0, match]
      return [{ item, match, keys }]
    })
    .toSorted((a, b) => a.keys.map((key, index) => key - (b.keys[index] ?? 0)).find((difference) => difference !== 0) ?? 0)
}

/** True if a word starts at this index. */
export const isBeginning = (text: string, at: number): boolean => at === 0 || !isLetter.test(text[at - 1] ?? '')

const beginsWord = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (isBeginning(text, at)) return true
  return false
}

const isLetter = /[\p{L}\p{N}]/u
