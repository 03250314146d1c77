/**
 * The sources of an answer. They are numbered from 1 across all tools; the answer cites them as [1]. Separate from `tools.ts`, because every
 * page loads that file.
 */
import { isRecord } from '../is-record.ts'
import { isPageRead, isSearch, type PageOutput, searchOutputOf, searchTool } from '../models/tools.ts'
import type { MessagePart, ToolPart } from './messages.ts'

/** The query or URL of a call. Empty while the model still writes the input, or if the input is invalid. */
export function requestedOf({ type, input }: ToolPart): string {
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
  /** From the search result. */
  readonly snippet?: string
}

/** `requestedUrl`: from a search result or the user. `url`: after redirects. */
type SourceUrl = { readonly number: number; readonly requestedUrl: string; readonly url: string }

/** The URLs of an answer's sources. A turn that continues the answer may read them again. */
export const sourceUrls = (parts: readonly MessagePart[]): readonly SourceUrl[] => [
  ...parts
    .filter(isSearch)
    .flatMap((call) => (searchOutputOf(call)?.results ?? []).map(({ number, url }) => ({ number, requestedUrl: url, url }))),
  ...parts.filter(isPageRead).flatMap((call) => {
    const page = pageOutputOf(call)
    return page ? [{ number: page.number, requestedUrl: requestedOf(call) || page.url, url: page.url }] : []
  }),
]

/** The sources that an answer may cite, by number: search results and pages that were read. */
export function sourcesOf(parts: readonly MessagePart[]): readonly Source[] {
  const sources = new Map<number, Source>()
  for (const part of parts) {
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
