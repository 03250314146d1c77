/** Estimates the tokens of texts, files and messages. The tokenizers of the models differ, so one rule estimates for all. */
import { fileKindOf, isFilePart } from '../files/files.ts'
import { maxShortResultsChars } from '../limits.ts'
import { cutAt } from '../text.ts'
import { type FilePart, type MessagePart, textOf } from '../threads/messages.ts'

/** Chosen: overestimates English (4 bytes a token) and matches code and Chinese, so an estimate is rarely too low. */
const bytesPerToken = 3
/** The largest count of Anthropic for an image of 1,568 × 1,568 pixels, at 750 pixels a token. */
const imageTokens = 3_300
/**
 * Chosen: Anthropic counts 1,500 to 3,000 tokens for the text of a page, and its image
 * (https://platform.claude.com/docs/en/build-with-claude/pdf-support, 2026-11-27). Gemini counts 258.
 */
const pageTokens = 2_000
/** Chosen: a page of 50 KB. For PDFs whose pages are unknown. */
const documentBytesPerToken = 25
/** Chosen: the system prompt without the texts of the user, and the descriptions of the tools. */
export const instructionTokens = 1_500
const messageOverheadTokens = 10

/** Bytes of a UTF-16 unit in UTF-8. A surrogate is half of a character of four bytes. */
const bytesOf = (code: number): number => (code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3)

export function textTokens(text: string): number {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) bytes += bytesOf(text.charCodeAt(index))
  return Math.ceil(bytes / bytesPerToken)
}

/** The beginning of a text, of at most this many tokens. */
export function cutToTokens(text: string, tokens: number): string {
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) {
    bytes += bytesOf(text.charCodeAt(index))
    if (bytes > tokens * bytesPerToken) return cutAt(text, index)
  }
  return text
}

/**
 * Counts the text of an answer and the short form of its tool results, because a model does not receive its other parts. An answer without text
 * is a research, which is sent as a description of its steps.
 */
export function messageTokens(message: { readonly parts: readonly MessagePart[] }): number {
  const text = textOf(message)
  const files = message.parts.filter(isFilePart)
  const words = text === '' && files.length === 0 ? JSON.stringify(message.parts) : text
  const results = message.parts.reduce((sum, part) => sum + ('output' in part ? textTokens(JSON.stringify(part)) : 0), 0)
  return (
    messageOverheadTokens +
    textTokens(words) +
    Math.min(results, maxShortResultsChars) +
    files.reduce((sum, file) => sum + fileTokens(file), 0)
  )
}

export function fileTokens({ mediaType, sizeBytes = 0, pages }: FilePart): number {
  const kind = fileKindOf(mediaType)
  if (kind === 'image') return imageTokens
  if (kind === 'document' && pages !== undefined) return pages * pageTokens
  return Math.ceil(sizeBytes / (kind === 'document' ? documentBytesPerToken : bytesPerToken))
}
