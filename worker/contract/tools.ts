/**
 * What the tools of a turn return, as it is stored in a message and drawn on the page. Sources are numbered from 1 through a whole
 * answer, whichever tool brought them; an answer cites them as [1]. A page's text goes to the model and is not kept.
 */

import { isRecord } from './is-record.ts'
import type { MessagePart, ToolPart } from './messages.ts'

export const searchTool = 'search'
export const readPageTool = 'read_page'

export type SearchResult = {
  readonly number: number
  readonly title: string
  readonly url: string
  /** The host name without `www.`. */
  readonly site: string
  /** YYYY-MM-DD, if the search provider knows it. */
  readonly date?: string
  readonly snippet: string
}

export type SearchOutput = {
  readonly results: readonly SearchResult[]
  /** Answered by the bundled stand-in, because no search provider is connected. */
  readonly standIn?: true
}

export type PageOutput = {
  readonly number: number
  readonly title: string
  readonly url: string
  readonly site: string
  /** How much of its text the model was given. */
  readonly chars: number
}

export type Source = {
  readonly number: number
  readonly title: string
  readonly url: string
  readonly site: string
  /** Otherwise no more of it was seen than the passage that a search returned. */
  readonly isRead: boolean
}

export const isToolPart = (part: MessagePart): part is ToolPart => part.type.startsWith('tool-')

export const isSearch = (part: MessagePart): part is ToolPart => part.type === `tool-${searchTool}`
export const isPageRead = (part: MessagePart): part is ToolPart => part.type === `tool-${readPageTool}`

/** What a call asked for: its query or its address. Empty while the model still writes it, or when it wrote nonsense. */
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

/** By which addresses the sources of an answer were reached: for whoever goes on with it, and may open them again. */
export const sourceAddresses = (parts: readonly MessagePart[]): readonly SourceAddress[] => [
  ...parts
    .filter(isSearch)
    .flatMap((call) => (searchOutputOf(call)?.results ?? []).map(({ number, url }) => ({ number, asked: url, url }))),
  ...parts.filter(isPageRead).flatMap((call) => {
    const page = pageOutputOf(call)
    return page ? [{ number: page.number, asked: askedOf(call) || page.url, url: page.url }] : []
  }),
]

/** Everything an answer may cite, by number: what a search returned or a page that was read, and nothing the model made up. */
export function sourcesOf(parts: readonly MessagePart[]): readonly Source[] {
  const sources = new Map<number, Source>()
  for (const part of parts) {
    if (!isToolPart(part)) continue
    const search = isSearch(part) ? searchOutputOf(part) : null
    const page = isPageRead(part) ? pageOutputOf(part) : null
    for (const { number, title, url, site } of search?.results ?? [])
      if (!sources.has(number)) sources.set(number, { number, title, url, site, isRead: false })
    if (page) sources.set(page.number, { number: page.number, title: page.title, url: page.url, site: page.site, isRead: true })
  }
  return [...sources.values()].sort((a, b) => a.number - b.number)
}

/**
 * Whether an answer holds what was found for it, or how a site answered. Whoever goes on with it is told, and searches no more, because what
 * stands on a page must not choose what is searched for; so going on takes none of the day's searches.
 */
export const goesOnFromWeb = (parts: readonly MessagePart[]): boolean => sourcesOf(parts).length > 0 || parts.some(isPageRead)

/** How many of the day's searches a turn in Search mode takes that goes on with these parts. */
export const searchesFor = (continued: readonly MessagePart[] = []): 0 | 1 => (goesOnFromWeb(continued) ? 0 : 1)
