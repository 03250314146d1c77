/** Text search: the request, the results, and the excerpt of a match. Pure; used by the page and the server. */
import * as z from 'zod/mini'
import { idSchema } from './ids.ts'
import { maxFindChars, maxLeftOut } from './limits.ts'

/** `without`: threads that the client has already searched. */
export const findSchema = z.object({
  query: z.string().check(z.minLength(1), z.maxLength(maxFindChars)),
  without: z._default(z.readonly(z.array(idSchema).check(z.maxLength(maxLeftOut))), []),
})
export type FindRequest = Readonly<z.infer<typeof findSchema>>

/** A thread with a matching message, and the text around the match. */
const foundMessageSchema = z.object({ threadId: z.string(), messageId: z.string(), title: z.nullable(z.string()), excerpt: z.string() })
export type FoundMessage = Readonly<z.infer<typeof foundMessageSchema>>

/**
 * Newest first. `isComplete` is false while the server still indexes older messages. `isCut` is true if some messages were not searched.
 */
export const foundMessagesSchema = z.object({
  found: z.readonly(z.array(foundMessageSchema)),
  isComplete: z.boolean(),
  isCut: z.boolean(),
})
export type FoundMessages = Readonly<z.infer<typeof foundMessagesSchema>>

export const maxExcerptChars = 90

export const wordsOf = (query: string): readonly string[] => query.toLowerCase().split(/\s+/).filter(Boolean)

/** Approximates the rendered text. */
export const withoutMarks = (markdown: string): string => markdown.replace(/[*`#|~]+/g, '')

/** An excerpt around the first word. Null if a word does not occur. */
export function excerptOf(words: readonly string[], text: string, maxChars = maxExcerptChars): string | null {
  const folded = text.toLowerCase()
  if (words.length === 0 || !words.every((word) => folded.includes(word))) return null
  const at = folded.indexOf(words[0] ?? '')
  // Starts up to `leadChars` before the match, at a word boundary.
  const from = at <= leadChars ? 0 : text.indexOf(' ', at - leadChars) + 1 || at
  const start = Math.min(from, at)
  const cut = text
    .slice(start, start + maxChars)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${cut}${start + maxChars < text.length ? '…' : ''}`
}

const leadChars = 24
