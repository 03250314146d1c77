/**
 * The words of texts and requests in the index. The index finds candidates; the text is checked afterwards. So the missing order of words and
 * the missing ends of very long words cost only extra reads. A word is found by its beginning only, and symbols are not indexed, which can hide
 * matches (SPEC L6).
 */

import { type ChatMessage, textOf } from '../contract/messages.ts'
import { hasFile, type SearchFilter } from '../contract/search-filter.ts'
import { withoutMarks } from '../contract/without-marks.ts'
import { fingerprint } from '../lib/fingerprint.ts'

/** Chosen: longer ones are addresses and data. */
const maxTokenChars = 64
/** Chosen: a longer request does not narrow the result. */
const maxTokens = 12

const letterRuns = /[\p{L}\p{N}]+/gu
/** Scripts without spaces: every character is a word, so that it is found within a sentence. */
const unspacedScripts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

const tokensOf = (text: string): readonly string[] =>
  (text.toLowerCase().replace(unspacedScripts, ' $& ').match(letterRuns) ?? []).map((run) => [...run].slice(0, maxTokenChars).join(''))

/** Tokens of the raw text and of the text without marks: a mark separates words in a table, and is inside a word that is half bold. */
const wordsIn = (text: string): readonly string[] => [...new Set([...tokensOf(text), ...tokensOf(withoutMarks(text))])]

/** Properties of messages in the index. They begin with private-use characters, which no word contains. */
const roleToken = { user: '\ue000', assistant: '\ue001' } as const
const filesToken = '\ue002'
const modelToken = (modelId: string): string => `\ue003${fingerprint(modelId)}`

/** Words and properties of a message. Every message has the property of its role. */
export const indexedText = (message: ChatMessage): string =>
  [
    ...wordsIn(textOf(message)),
    roleToken[message.role],
    ...(hasFile(message) ? [filesToken] : []),
    ...(message.role === 'assistant' ? [modelToken(message.metadata.modelId)] : []),
  ].join(' ')

const quoted = (tokens: readonly string[]): string => tokens.map((token) => `"${token}"`).join(' ')

/** The index query for the properties that the filter names. Empty if it names none. */
const propertyQuery = ({ role, hasFiles, modelId }: SearchFilter): string =>
  quoted([
    ...(role === undefined ? [] : [roleToken[role]]),
    ...(hasFiles === true ? [filesToken] : []),
    ...(modelId === undefined ? [] : [modelToken(modelId)]),
  ])

/** Matches every message. */
const anyMessage = Object.values(roleToken)
  .map((token) => `"${token}"`)
  .join(' OR ')

/** Queries for the index, best first: the words as typed, then as beginnings of words, except single letters. */
export function indexQueriesOf(query: string, filter: SearchFilter): readonly string[] {
  const properties = propertyQuery(filter)
  if (query.trim() === '') return [properties || anyMessage]
  const tokens = tokensOf(query).slice(0, maxTokens)
  const prefixQuery = tokens.map((token) => (token.length < 2 ? `"${token}"` : `"${token}"*`)).join(' ')
  return [...new Set([quoted(tokens), prefixQuery])].filter(Boolean).map((words) => [words, properties].filter(Boolean).join(' '))
}
