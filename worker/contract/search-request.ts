/** A text search: the request, the results, and the test of a message. Pure; used by the page and the server. */
import * as z from 'zod/mini'
import { excerptOf } from './excerpt.ts'
import type { ChatMessage } from './messages.ts'
import { passesFilter, type SearchFilter, summaryOf } from './search-filter.ts'
import { withoutMarks } from './without-marks.ts'

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
