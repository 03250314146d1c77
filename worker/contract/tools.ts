/**
 * Tool results as stored in a message and shown on the page. Sources are numbered from 1 within an answer, across all tools, and the answer
 * cites them as [1]. The text of a page goes only to the model and is not stored.
 */

import { isRecord } from './is-record.ts'
import type { MessagePart, ToolPart } from './messages.ts'

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

export type Source = {
  readonly number: number
  readonly title: string
  readonly url: string
  readonly site: string
  /** False: the model received only the snippet of a search result. */
  readonly isRead: boolean
  /** The excerpt from the search result. */
  readonly snippet?: string
}

export const isToolPart = (part: MessagePart): part is ToolPart => part.type.startsWith('tool-')

export const isSearch = (part: MessagePart): part is ToolPart => part.type === `tool-${searchTool}`
export const isPageRead = (part: MessagePart): part is ToolPart => part.type === `tool-${readPageTool}`

/** The query or URL of a call. Empty while the model still writes the input, or if the input is invalid. */
export function askedOf({ type, input }: ToolPart): string {
  const field = type === `tool-${searchTool}` ? 'query' : 'url'
  return isRecord(input) && typeof input[field] === 'string' ? input[field] : ''
}

/** Null for a search that has not succeeded. */
export const searchOutputOf = (part: ToolPart): SearchOutput | null =>
  part.state === 'output-available' && isRecord(part.output) && Array.isArray(part.output.results)
    ? (part.output as unknown as SearchOutput)
    : null

export const pageOutputOf = (part: ToolPart): PageOutput | null =>
  part.state === 'output-available' && isRecord(part.output) && typeof part.output.url === 'string'
    ? (part.output as unknown as PageOutput)
    : null

/** `asked`: the address that a search or the user gave; `url`: the address after redirects. */
type SourceAddress = { readonly number: number; readonly asked: string; readonly url: string }

/** The URLs of an answer's sources. A continuation of the answer may read them again. */
export const sourceAddresses = (parts: readonly MessagePart[]): readonly SourceAddress[] => [
  ...parts
    .filter(isSearch)
    .flatMap((call) => (searchOutputOf(call)?.results ?? []).map(({ number, url }) => ({ number, asked: url, url }))),
  ...parts.filter(isPageRead).flatMap((call) => {
    const page = pageOutputOf(call)
    return page ? [{ number: page.number, asked: askedOf(call) || page.url, url: page.url }] : []
  }),
]

/** The sources that an answer may cite, by number: search results and pages that were read. */
export function sourcesOf(parts: readonly MessagePart[]): readonly Source[] {
  const sources = new Map<number, Source>()
  for (const part of parts) {
    if (!isToolPart(part)) continue
    const search = isSearch(part) ? searchOutputOf(part) : null
    const page = isPageRead(part) ? pageOutputOf(part) : null
    for (const { number, title, url, site, snippet } of search?.results ?? [])
      if (!sources.has(number)) sources.set(number, { number, title, url, site, isRead: false, snippet })
    if (!page) continue
    const { number, title, url, site } = page
    sources.set(number, { ...sources.get(number), number, title, url, site, isRead: true })
  }
  return [...sources.values()].sort((a, b) => a.number - b.number)
}

/**
 * True if an answer contains search results or pages. A continuation of it gets no search, because content of a page must not choose search
 * queries. It therefore uses no daily search.
 */
export const goesOnFromWeb = (parts: readonly MessagePart[]): boolean => sourcesOf(parts).length > 0 || parts.some(isPageRead)

/** Daily searches that a turn in Search mode uses if it continues these parts. */
export const searchesFor = (continued: readonly MessagePart[] = []): 0 | 1 => (goesOnFromWeb(continued) ? 0 : 1)
