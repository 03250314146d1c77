/**
 * The provisional title of a thread, from its first message. Both sides write it with that message, so that the thread has a title
 * immediately. A generated title replaces it unless the user has renamed the thread. Pure.
 */
import { type AttachedFile, filesOf } from '../files/files.ts'
import { generatedTitleChars } from '../limits.ts'
import { cutAt, isBlank, withoutEnd } from '../text.ts'
import { type ChatMessage, textOf } from './messages.ts'

const fallbackTitle = 'New thread'
/** Limits the input of the emphasis pattern, which scans the line once per mark. */
const lookedThroughChars = 4 * generatedTitleChars

export function firstQuestion(history: readonly ChatMessage[]): string {
  const first = history.find((message) => message.role === 'user')
  return first ? titleSource(textOf(first), filesOf(first)) : ''
}

/** The text of the message, or the name of its first file if it has no text. */
export const titleSource = (text: string, files: readonly AttachedFile[]): string => (isBlank(text) ? (files[0]?.name ?? '') : text)

/** True if a generated title may replace it: it is missing, or it derives from the first message. */
export const isProvisionalTitle = (title: string | null | undefined, history: readonly ChatMessage[]): boolean =>
  title == null || title === titleFromText(firstQuestion(history))

export function titleFromText(text: string): string {
  const firstLine = text
    .split('\n')
    .map((line) => cleanTitle(line))
    .find((line) => line !== null)
  return firstLine ?? fallbackTitle
}

/** One line without quotes, colons and Markdown, cut at a word. Null if no text remains. */
export function cleanTitle(text: string): string | null {
  const line = text
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    // Markdown at the beginning of the line: headings, quotes, lists.
    .replace(/^\s*(?:[#>]+\s*|[-*+]\s+|\d+[.)]\s+)+/u, '')
    // Keeps an apostrophe inside a word, as a typographic apostrophe.
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, '\uE000')
    .replace(/\s+/gu, ' ')
    .trim()
  // Before the quotes and colons: without them, `**Note:**` would end in a space, which ends no emphasis.
  const plain = withoutEmphasis(cutAt(line, lookedThroughChars))
    .replace(/["'“”„‟«»‹›‘’‚‛`]+/gu, '')
    .replace(/[:：]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()
  const title = cut(withoutEnd(plain, /[.。,;\s]/u).replaceAll('\uE000', '’'))
  return /[\p{L}\p{N}\p{S}\p{P}]/u.test(title.replace(/[*_~]+/gu, '')) ? title : null
}

/**
 * Emphasis marks come in pairs at word boundaries. A mark inside a word or before a file extension belongs to the name. Chinese, Japanese and
 * Korean have no spaces at each boundary, so asterisks and tildes may follow their letters.
 */
const spaced = String.raw`[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]]`
const starred = String.raw`(?<!${spaced}|[_*~])(\*{1,3}|~~)(?=\S)(.*?\S)\1(?![_*~]|\.?${spaced})`
const underlined = String.raw`(?<![\p{L}\p{N}_*~])(_{1,3})(?=\S)(.*?\S)\3(?![_*~]|\.?[\p{L}\p{N}])`
const emphasis = new RegExp(`${starred}|${underlined}`, 'gv')
/** A name such as `__init__` in Python. */
const dunder = /^\w+$/u

function withoutEmphasis(text: string): string {
  const once = text.replace(emphasis, (whole, _, inner: string | undefined, mark: string, name: string) =>
    mark === '__' && dunder.test(name) ? whole : (inner ?? name),
  )
  return once === text ? text : withoutEmphasis(once)
}

function cut(text: string): string {
  if (text.length <= generatedTitleChars) return text
  const prefix = cutAt(text, generatedTitleChars - 1)
  const word = prefix.lastIndexOf(' ')
  // No space in the second half: cut inside the word.
  const shortened = word > generatedTitleChars / 2 ? prefix.slice(0, word) : prefix
  return `${withoutEnd(shortened, /[.,;\s]/u)}…`
}
