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
const isBeginning = (text: string, at: number): boolean => at === 0 || !isLetter.test(text[at - 1] ?? '')

const beginsWord = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) if (isBeginning(text, at)) return true
  return false
}

const isLetter = /[\p{L}\p{N}]/u

export type TextRange = { readonly from: number; readonly to: number }

/** Chosen: more hits than a user reads. */
const maxPerWord = 200
/** Chosen: words of this length occur in every sentence ("a", "is", "of"). */
const maxShortLetters = 2

/**
 * Returns the matches of the whole phrase if there are any. Otherwise, for each word: its matches at word starts, or if there are none, its
 * matches inside words. "the" therefore matches "other" only in a text without "the". Matches of the first word come first, as in the excerpt
 * of the search result. Short words are ignored next to longer ones.
 */
export function matchRanges(words: readonly string[], text: string): readonly TextRange[] {
  const folded = foldedAsLong(text)
  const together = words.length > 1 ? placesOf(words, folded) : []
  if (together.length > 0) return together
  const long = words.filter((word) => !isShort(word))
  return (long.length > 0 ? long : words).flatMap((word) => placesOf([word], folded))
}

/** Positions of a phrase; a short last word must also end there. */
function placesOf(words: readonly string[], folded: string): readonly TextRange[] {
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const end = isShort(last) ? '(?![\\p{L}\\p{N}])' : ''
  const pattern = new RegExp(`${words.map(escaped).join('\\s+')}${end}`, 'gu')
  const places = Array.from(folded.matchAll(pattern), ({ 0: found, index }) => ({ from: index, to: index + found.length }))
  const beginnings = places.filter(({ from }) => isBeginning(folded, from))
  return (beginnings.length > 0 || isShort(first) ? beginnings : places).slice(0, maxPerWord)
}

/** In scripts without spaces, one or two characters can be a word. */
const isShort = (word: string): boolean => word.length <= maxShortLetters && /^[\p{L}\p{N}]+$/u.test(word) && !withoutSpaces.test(word)

const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const escaped = (word: string): string => word.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&')

/** Lower case with unchanged indexes: a few characters become two in lower case and are left as they are. */
function foldedAsLong(text: string): string {
  const folded = text.toLowerCase()
  return folded.length === text.length
    ? folded
    : text.replace(/[\s\S]/g, (unit) => (unit.toLowerCase().length === 1 ? unit.toLowerCase() : unit))
}
