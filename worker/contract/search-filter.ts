/** Filters of a text search, and the tests of a message against them. Used by the page and the server. */
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
export const passesFilter = (filter: SearchFilter, message: ChatMessage, createdAtMs: number): boolean =>
  isWithinTime(filter, createdAtMs) &&
  (filter.role === undefined || filter.role === message.role) &&
  (filter.modelId === undefined || (message.role === 'assistant' && message.metadata.modelId === filter.modelId)) &&
  (filter.hasFiles !== true || hasFile(message))

/** The text of a message for excerpts; without text, the names of its files. */
export const summaryOf = (message: ChatMessage): string =>
  textOf(message) || message.parts.flatMap((part) => (part.type === 'file' && 'filename' in part ? [part.filename ?? ''] : [])).join(', ')
