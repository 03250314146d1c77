/** Positions of search words in a text. No side effects. */
import { isBeginning } from './match-words.ts'

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
