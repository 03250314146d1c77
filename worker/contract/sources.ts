/**
 * What an answer searched and read, and its sources. Sources are numbered from 1 within the answer, across all tools, and the answer cites
 * them as [1]. Apart from `tools.ts`, which every page loads.
 */
import { isRecord } from './is-record.ts'
import type { MessagePart, ToolPart } from './messages.ts'
import { isPageRead, isSearch, isToolPart, type PageOutput, searchOutputOf, searchTool } from './tools.ts'

/** The query or URL of a call. Empty while the model still writes the input, or if the input is invalid. */
export function askedOf({ type, input }: ToolPart): string {
  const field = type === `tool-${searchTool}` ? 'query' : 'url'
  return isRecord(input) && typeof input[field] === 'string' ? input[field] : ''
}

export const pageOutputOf = (part: ToolPart): PageOutput | null =>
  part.state === 'output-available' && isRecord(part.output) && typeof part.output.url === 'string'
    ? (part.output as unknown as PageOutput)
    : null

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
