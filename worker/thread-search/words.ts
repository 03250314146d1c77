/**
 * The words of texts and requests in the index. The index returns candidates only; the text itself decides. So the order of words and the
 * ends of very long ones, which the index does not have, cause additional reads only. Words are known by their beginning only and symbols
 * not at all, which can hide matches (SPEC L6).
 */
import { withoutMarks } from '../contract/found-text.ts'

/** Chosen: longer ones are addresses and data. */
const maxTokenChars = 64
/** Chosen: a longer request does not narrow the result. */
const maxTokens = 12

const runs = /[\p{L}\p{N}]+/gu
/** Scripts without spaces: every character is a word, so that it is found within a sentence. */
const signs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

const tokensOf = (text: string): readonly string[] =>
  (text.toLowerCase().replace(signs, ' $& ').match(runs) ?? []).map((run) => [...run].slice(0, maxTokenChars).join(''))

/** As written and as read: a mark separates words in a table, and is part of a word that is half bold. */
export const indexedText = (text: string): string => [...new Set([...tokensOf(text), ...tokensOf(withoutMarks(text))])].join(' ')

/** Queries for the index, best first: the words as typed, then as beginnings of words, except single letters. */
export function indexQuestions(query: string): readonly string[] {
  const tokens = tokensOf(query).slice(0, maxTokens)
  const whole = tokens.map((token) => `"${token}"`).join(' ')
  const begun = tokens.map((token) => (token.length < 2 ? `"${token}"` : `"${token}"*`)).join(' ')
  return [...new Set([whole, begun])].filter(Boolean)
}
