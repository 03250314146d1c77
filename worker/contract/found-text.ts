/** What somebody types to find something, and the piece of a longer text that answers it. Pure: the page looks with it, and the server. */
import * as z from 'zod/mini'
import { idSchema } from './ids.ts'
import { maxFindChars, maxLeftOut } from './limits.ts'

/** `without`: threads that whoever asks has looked through already. */
export const findSchema = z.object({
  query: z.string().check(z.minLength(1), z.maxLength(maxFindChars)),
  without: z._default(z.readonly(z.array(idSchema).check(z.maxLength(maxLeftOut))), []),
})
export type FindRequest = Readonly<z.infer<typeof findSchema>>

/** A thread in which it was said, by which message, and the words around it. */
const foundMessageSchema = z.object({ threadId: z.string(), messageId: z.string(), title: z.nullable(z.string()), excerpt: z.string() })
export type FoundMessage = Readonly<z.infer<typeof foundMessageSchema>>

/**
 * The newest first. `isComplete` is false while older messages are still on their way to where they are looked for; `isCut` says that not
 * everything which is there was looked at.
 */
export const foundMessagesSchema = z.object({
  found: z.readonly(z.array(foundMessageSchema)),
  isComplete: z.boolean(),
  isCut: z.boolean(),
})
export type FoundMessages = Readonly<z.infer<typeof foundMessagesSchema>>

export const maxExcerptChars = 90

export const wordsOf = (query: string): readonly string[] => query.toLowerCase().split(/\s+/).filter(Boolean)

/** As it is read, roughly. */
export const withoutMarks = (markdown: string): string => markdown.replace(/[*`#|~]+/g, '')

/** The words around the first of them in a longer text; null when one is missing. */
export function excerptOf(words: readonly string[], text: string, maxChars = maxExcerptChars): string | null {
  const folded = text.toLowerCase()
  if (words.length === 0 || !words.every((word) => folded.includes(word))) return null
  const at = folded.indexOf(words[0] ?? '')
  // A little of what comes before it, from the beginning of a word on.
  const from = at <= leadChars ? 0 : text.indexOf(' ', at - leadChars) + 1 || at
  const start = Math.min(from, at)
  const cut = text
    .slice(start, start + maxChars)
    .replace(/\s+/g, ' ')
    .trim()
  return `${start > 0 ? '…' : ''}${cut}${start + maxChars < text.length ? '…' : ''}`
}

const leadChars = 24
