/**
 * Tool results as stored in a message and shown on the page. Their sources are numbered (`sources.ts`). The text of a page goes only to the
 * model and is not stored.
 */

import { isRecord } from '../is-record.ts'
import type { MessagePart, ToolPart } from '../threads/messages.ts'

export const searchTool = 'search'
export const readPageTool = 'read_page'

type SearchResult = {
  readonly number: number
  readonly title: string
  readonly url: string
  /** The host name without `www.`. */
  readonly site: string
  /** YYYY-MM-DD, if the search provider has it. */
  readonly date?: string
  readonly snippet: string
}

export type SearchOutput = {
  readonly results: readonly SearchResult[]
  /** True for results of the simulation, if no search provider is connected. */
  readonly standIn?: true
}

export type PageOutput = {
  readonly number: number
  readonly title: string
  readonly url: string
  readonly site: string
  /** Characters of the page that the model received. */
  readonly chars: number
}

export const isToolPart = (part: MessagePart): part is ToolPart => part.type.startsWith('tool-')

export const isSearch = (part: MessagePart): part is ToolPart => part.type === `tool-${searchTool}`
export const isPageRead = (part: MessagePart): part is ToolPart => part.type === `tool-${readPageTool}`

/** Null for a search that has not succeeded. */
export const searchOutputOf = (part: ToolPart): SearchOutput | null =>
  part.state === 'output-available' && isRecord(part.output) && Array.isArray(part.output.results)
    ? (part.output as unknown as SearchOutput)
    : null

/** Searches that a turn with a forced search makes at least if it continues these parts: none if they have results. */
export const searchesFor = (continued: readonly MessagePart[] = []): 0 | 1 =>
  continued.some((part) => isSearch(part) && searchOutputOf(part)?.results.length) ? 0 : 1
