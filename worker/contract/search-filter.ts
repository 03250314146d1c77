/** Filters of a text search, and what a search reads of a message. Pure; used by the page and the server. */
import { type ChatMessage, textOf } from './messages.ts'

/** `sinceMs` is inclusive and `untilMs` exclusive; both are about the time of the message. The model is that of an answer. */
export type SearchFilter = {
  readonly projectId?: string | undefined
  readonly modelId?: string | undefined
  readonly role?: 'user' | 'assistant' | undefined
  readonly hasFiles?: true | undefined
  readonly sinceMs?: number | undefined
  readonly untilMs?: number | undefined
}

export const isEmptyFilter = (filter: SearchFilter): boolean => Object.values(filter).every((value) => value === undefined)

/** True if the filter is about single messages, so that the title of a thread alone cannot pass it. */
export const filtersMessages = ({ modelId, role, hasFiles }: SearchFilter): boolean =>
  modelId !== undefined || role !== undefined || hasFiles === true

export const isWithinTime = (
  { sinceMs = Number.NEGATIVE_INFINITY, untilMs = Number.POSITIVE_INFINITY }: SearchFilter,
  atMs: number,
): boolean => atMs >= sinceMs && atMs < untilMs

export const hasFile = (message: ChatMessage): boolean => message.parts.some(({ type }) => type === 'file')

/** True if the message passes all filters but the project, which belongs to the thread. */
export const passesFilter = (filter: SearchFilter, message: ChatMessage, createdAtMs: number): boolean =>
  isWithinTime(filter, createdAtMs) &&
  (filter.role === undefined || filter.role === message.role) &&
  (filter.modelId === undefined || (message.role === 'assistant' && message.metadata.modelId === filter.modelId)) &&
  (filter.hasFiles !== true || hasFile(message))

/** The text of a message that a search without words shows: its text, otherwise the names of its files. */
export const summaryOf = (message: ChatMessage): string =>
  textOf(message) || message.parts.flatMap((part) => (part.type === 'file' && 'filename' in part ? [part.filename ?? ''] : [])).join(', ')
