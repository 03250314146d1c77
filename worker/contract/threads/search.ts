/** A text search: filters, words, excerpts, the request and the results. Pure; used by the page and the server. */
import * as z from 'zod/mini'
import { withoutMarks } from '../text.ts'
import { type ChatMessage, textOf } from './messages.ts'

/** `sinceMs` is inclusive, `untilMs` exclusive; both compare with the creation time of a message. `modelId` matches answers only. */
export type SearchFilter = {
  readonly projectId?: string | undefined
  readonly modelId?: string | undefined
  readonly role?: 'user' | 'assistant' | undefined
  readonly hasFiles?: true | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

export const isEmptyFilter = (filter: SearchFilter): boolean => Object.values(filter).every((value) => value === undefined)

/** True if the filter needs a property of a message, so a thread cannot match by its title alone. */
export const filtersMessages = ({ modelId, role, hasFiles }: SearchFilter): boolean =>
  modelId !== undefined || role !== undefined || hasFiles === true

export const isWithinTime = (
  { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY }: SearchFilter,
  atMs: number,
): boolean => atMs >= sinceMs && atMs < untilMs

export const hasFile = (message: ChatMessage): boolean => message.parts.some(({ type }) => type === 'file')

/** True if the message passes every filter except `projectId`, which is a property of the thread. */
const passesFilter = (filter: SearchFilter, message: ChatMessage, createdAtMs: number): boolean =>
  isWithinTime(filter, createdAtMs) &&
  (filter.role === undefined || filter.role === message.role) &&
  (filter.modelId === undefined || (message.role === 'assistant' && message.metadata.modelId === filter.modelId)) &&
  (filter.hasFiles !== true || hasFile(message))

/** The text of a message for excerpts; without text, the names of its files. */
export const summaryOf = (message: ChatMessage): string =>
  textOf(message) || message.parts.flatMap((part) => (part.type === 'file' && 'filename' in part ? [part.filename ?? ''] : [])).join(', ')

const maxExcerptChars = 90
const leadChars = 24

export const wordsOf = (query: string): readonly string[] => query.toLowerCase().split(/\s+/).filter(Boolean)

/** An excerpt around the first word, or the beginning of the text without words. Null if a word does not occur. */
export function excerptOf(words: readonly string[], text: string, maxChars = maxExcerptChars): string | null {
  const folded = text.toLowerCase()
  if (!words.every((word) => folded.includes(word))) return null
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

/** `without`: threads that the client has already searched. */
export type SearchRequest = { readonly query: string; readonly filter: SearchFilter; readonly without: readonly string[] }

/** A thread with a matching message, and the text around the match. */
const foundMessageSchema = z.object({ threadId: z.string(), messageId: z.string(), title: z.nullable(z.string()), excerpt: z.string() })
export type FoundMessage = Readonly<z.infer<typeof foundMessageSchema>>

/**
 * Newest first. `isComplete` is false while the server still indexes older messages. `isCut` is true if some messages were not searched.
 */
export const foundMessagesSchema = z.object({
  found: z.array(foundMessageSchema),
  isComplete: z.boolean(),
  isCut: z.boolean(),
})
export type FoundMessages = Readonly<Omit<z.infer<typeof foundMessagesSchema>, 'found'>> & { readonly found: readonly FoundMessage[] }

/** The excerpt of a message that has every word and passes the filter. Null for any other message. */
export const excerptIn = (message: ChatMessage, createdAtMs: number, words: readonly string[], filter: SearchFilter): string | null =>
  passesFilter(filter, message, createdAtMs) ? excerptOf(words, withoutMarks(summaryOf(message))) : null
