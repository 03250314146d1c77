/** Where what was looked for stands in a text. Pure. */
import { isBeginning } from './match-words.ts'

export type Stretch = { readonly from: number; readonly to: number }

/** Ours: nobody reads more of them. */
const maxPerWord = 200
/** So many letters stand in every sentence: "a", "is", "of". */
const maxShortLetters = 2

/**
 * The words in a row, where they stand so. Otherwise each of them, where it begins a word, and only where it begins none wherever it is:
 * whoever looks for "the" does not mean "other". Those of the first word come first, as in the excerpt they were found by. Short words say
 * nothing beside longer ones; alone they are meant as they stand.
 */
export function stretchesOf(words: readonly string[], text: string): readonly Stretch[] {
  const folded = foldedAsLong(text)
  const together = words.length > 1 ? placesOf(words, folded) : []
  if (together.length > 0) return together
  const long = words.filter((word) => !isShort(word))
  return (long.length > 0 ? long : words).flatMap((word) => placesOf([word], folded))
}

/** Of words in a row; when the last one is short it ends there. */
function placesOf(words: readonly string[], folded: string): readonly Stretch[] {
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const end = isShort(last) ? '(?![\\p{L}\\p{N}])' : ''
  const pattern = new RegExp(`${words.map(escaped).join('\\s+')}${end}`, 'gu')
  const places = Array.from(folded.matchAll(pattern), ({ 0: found, index }) => ({ from: index, to: index + found.length }))
  const beginnings = places.filter(({ from }) => isBeginning(folded, from))
  return (beginnings.length > 0 || isShort(first) ? beginnings : places).slice(0, maxPerWord)
}

/** Where nothing is put between words a sign or two are one. */
const isShort = (word: string): boolean => word.length <= maxShortLetters && /^[\p{L}\p{N}]+$/u.test(word) && !withoutSpaces.test(word)

const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

const escaped = (word: string): string => word.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&')

/** As texts are compared, and every sign where it was: a few become two when they are made small. */
function foldedAsLong(text: string): string {
  const folded = text.toLowerCase()
  return folded.length === text.length
    ? folded
    : text.replace(/[\s\S]/g, (unit) => (unit.toLowerCase().length === 1 ? unit.toLowerCase() : unit))
}
