/** How well a text answers what somebody types to find it, and in which order what was found is listed. Pure. */

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

/** What can be chosen, what would be refused, and what nobody can choose any more. */
export type Standing = 'usable' | 'refused' | 'retired'

type Findable = {
  readonly title: string
  /** What else it answers to. */
  readonly words: string | undefined
  readonly standing: Standing | undefined
}

/** 3 when the title alone does not answer, 4 when of the rest only pieces of words do; otherwise as the title is ranked. */
export type Match = 0 | 1 | 2 | 3 | 4

type Found<T> = { readonly item: T; readonly match: Match }

/**
 * All that answers, the best first: what is called exactly so; then what is called something like it, of which what would be refused comes
 * after what can be chosen; then what only answers to it by other words, in the same way; what nobody can choose any more comes last.
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

/** Whether what stands here in a text begins a word of it. */
export const isBeginning = (text: string, at: number): boolean => at === 0 || !isLetter.test(text[at - 1] ?? '')

const beginsWord = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (isBeginning(text, at)) return true
  return false
}

const isLetter = /[\p{L}\p{N}]/u
