/**
 * The title of a thread as far as its first message alone can give one. Both sides write it with that message, so that the thread has a
 * name at once; a title that a model finds later takes its place unless somebody has named the thread meanwhile. Pure.
 */
import { type AttachedFile, filesOf } from './files.ts'
import { generatedTitleChars } from './limits.ts'
import { type ChatMessage, textOf } from './messages.ts'
import { cutAt, withoutEnd } from './text-end.ts'

const fallbackTitle = 'New thread'
/** Enough for a title with all its marks; those of a longer line would be looked through once for each. */
const lookedThroughChars = 4 * generatedTitleChars

export function firstQuestion(history: readonly ChatMessage[]): string {
  const first = history.find((message) => message.role === 'user')
  return first ? titleSource(textOf(first), filesOf(first)) : ''
}

/** A message of files alone is about the first of them. */
export const titleSource = (text: string, files: readonly AttachedFile[]): string => (text.trim() === '' ? (files[0]?.name ?? '') : text)

/** Whether a better title may still take its place: there is none, or it is what the first message gave. */
export const isProvisionalTitle = (title: string | null | undefined, history: readonly ChatMessage[]): boolean =>
  title == null || title === titleFromText(firstQuestion(history))

export function titleFromText(text: string): string {
  const firstLine = text
    .split('\n')
    .map((line) => cleanTitle(line))
    .find((line) => line !== null)
  return firstLine ?? fallbackTitle
}

/** One line without quotes, colons and Markdown's marks, cut at a word. Null when nothing is left. */
export function cleanTitle(text: string): string | null {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    // Marks at the beginning of a line are Markdown's: headings, quotes, lists.
    .replace(/^\s*(?:[#>]+\s*|[-*+]\s+|\d+[.)]\s+)+/u, '')
    // An apostrophe inside a word belongs to the word, in the form that is no quote.
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, '\uE000')
    .replace(/["'“”„‟«»‹›‘’‚‛`]+/gu, '')
    .replace(/[:：]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  const title = cut(withoutEnd(withoutEmphasis(cutAt(plain, lookedThroughChars)), /[.。,;\s]/u).replaceAll('\uE000', '’'))
  return /[\p{L}\p{N}\p{S}\p{P}]/u.test(title.replace(/[*_~]+/gu, '')) ? title : null
}

/**
 * Marks of emphasis stand in pairs at the edges of words; one inside a word, or before the ending of a file's name, is part of the name.
 */
const emphasis = /(?<![\p{L}\p{N}_*~])(\*{1,3}|_{1,3}|~~)(?=\S)(.*?\S)\1(?![*_~]|\.?[\p{L}\p{N}])/gu
/** A name that begins and ends so, as in Python. */
const dunder = /^\w+$/u

function withoutEmphasis(text: string): string {
  const once = text.replace(emphasis, (whole, mark: string, inner: string) => (mark === '__' && dunder.test(inner) ? whole : inner))
  return once === text ? text : withoutEmphasis(once)
}

function cut(text: string): string {
  if (text.length <= generatedTitleChars) return text
  const room = cutAt(text, generatedTitleChars - 1)
  const word = room.lastIndexOf(' ')
  // A language without spaces, or one very long word: cut where the room ends.
  const kept = word > generatedTitleChars / 2 ? room.slice(0, word) : room
  return `${withoutEnd(kept, /[.,;\s]/u)}…`
}
