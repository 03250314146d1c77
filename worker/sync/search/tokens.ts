/**
 * Texts as the index has them: the words of a text, each once, and what is typed as a question to it. The index only nominates; whether a
 * text answers is for the text itself to say, so the order and the ends of very long words, which are lost here, cost a look and no answer.
 * What costs an answer is that a word is known by its beginning alone, and signs not at all (SPEC L2).
 */
import { withoutMarks } from '../../contract/found-text.ts'

/** Ours: longer ones are addresses and data. */
const maxTokenChars = 64
/** Ours: nobody narrows down further by typing on. */
const maxTokens = 12

const runs = /[\p{L}\p{N}]+/gu
/** Scripts without spaces between words: every sign is a word, so that one is found in the middle of a sentence. */
const signs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

const tokensOf = (text: string): readonly string[] =>
  (text.toLowerCase().replace(signs, ' $& ').match(runs) ?? []).map((run) => [...run].slice(0, maxTokenChars).join(''))

/** As it is written and as it is read: a mark ends a word in a table, and stands in the midst of one that is half bold. */
export const indexedText = (text: string): string => [...new Set([...tokensOf(text), ...tokensOf(withoutMarks(text))])].join(' ')

/** Questions to the index, the better first: the words as they were typed, and as beginnings of words, which one letter is not. */
export function indexQuestions(query: string): readonly string[] {
  const tokens = tokensOf(query).slice(0, maxTokens)
  const whole = tokens.map((token) => `"${token}"`).join(' ')
  const begun = tokens.map((token) => (token.length < 2 ? `"${token}"` : `"${token}"*`)).join(' ')
  return [...new Set([whole, begun])].filter(Boolean)
}
