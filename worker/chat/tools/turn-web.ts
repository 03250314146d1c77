/**
 * The web as one turn may use it. Limits the number of searches and pages, decides which pages may be opened (`ReadingRights`) and numbers
 * the sources. Created for each turn.
 */

import { isPageRead, isSearch, type PageOutput, type SearchOutput, searchOutputOf } from '../../contract/models/tools.ts'
import type { ChatMessage, MessagePart } from '../../contract/threads/messages.ts'
import { pageOutputOf, sourceUrls } from '../../contract/threads/sources.ts'
import { pageKey, ReadingRights, siteOf } from './reading-rights.ts'
import type { SearchProvider } from './search-provider.ts'
import { ToolFailure, withoutUnexpectedErrors } from './tool-failure.ts'
import { type ModelText, quoted, quoteUntrusted } from './untrusted.ts'

export type SearchConnection = {
  readonly provider: SearchProvider
  /** Unguessable mark of quotations: untrusted.ts. */
  readonly mark: string
}

/** `continued`: parts of the answer that this one continues; the numbers of its sources go on. */
export type TurnContext = { readonly history: readonly ChatMessage[]; readonly continued?: readonly MessagePart[] | undefined }

/** `onSearch` is called before each search request is sent. */
type Caps = { readonly searches: number; readonly reads: number; readonly onSearch?: () => void | Promise<void> }

/** A page for the model. Its text is neither stored nor synced. */
export type ReadPage = PageOutput & { readonly text: string }

/** Both throw a `ToolFailure` on failure, and the signal's reason when they are aborted. */
export type TurnWeb = {
  search(query: string, signal: AbortSignal): Promise<SearchOutput>
  readPage(asked: string, signal: AbortSignal): Promise<ReadPage>
}

export function turnWeb({ history, continued = [] }: TurnContext, provider: SearchProvider, caps: Caps): TurnWeb {
  const rights = new ReadingRights(history)
  const numbers = new Map<string, number>()
  const remaining = { searches: caps.searches, reads: caps.reads }

  const keyOf = (url: string): string => pageKey(url) ?? url
  /** The first number of an address wins. */
  const note = (url: string, number: number): void => void (numbers.has(keyOf(url)) || numbers.set(keyOf(url), number))

  const known = sourceUrls(continued)
  let newest = Math.max(0, ...known.map(({ number }) => number))
  // The requested URL comes first, so that a repeated read requests it again instead of the URL after the redirect.
  const urls = [...known.map(({ requestedUrl, number }) => ({ url: requestedUrl, number })), ...known]
  for (const { url, number } of urls) {
    rights.allow(url)
    note(url, number)
  }

  const numberOf = (url: string): number => {
    const number = numbers.get(keyOf(url)) ?? ++newest
    note(url, number)
    return number
  }

  const search = async (query: string, signal: AbortSignal): Promise<SearchOutput> => {
    if (remaining.searches === 0)
      throw new ToolFailure('searches_of_answer', `No more than ${caps.searches} searches are made for one answer.`)
    remaining.searches -= 1
    await caps.onSearch?.()
    const found = await provider.search(query, signal)
    const results = found.map(({ title, url, date, snippet }) => {
      rights.allow(url)
      const site = siteOf(url)
      return { number: numberOf(url), title: title || site, url, site, ...(date === null ? {} : { date }), snippet }
    })
    return { results, ...(provider.isStandIn ? { standIn: true as const } : {}) }
  }

  const readPage = async (asked: string, signal: AbortSignal): Promise<ReadPage> => {
    const url = rights.given(asked)
    if (url === null)
      throw new ToolFailure('page_not_named', 'Only pages that a search of this thread found or that your latest messages name are opened.')
    if (remaining.reads === 0) throw new ToolFailure('pages_of_answer', `No more than ${caps.reads} pages are read for one answer.`)
    remaining.reads -= 1
    const page = await provider.contents(url, signal)
    const site = siteOf(page.url)
    const number = numberOf(url)
    // A later search that returns the address after the redirect finds the same source.
    note(page.url, number)
    return {
      number,
      title: page.title || site,
      url: page.url,
      site,
      chars: page.text.length,
      text: page.isCut ? `${page.text}\n\n[The page goes on; only its beginning is here.]` : page.text,
    }
  }

  return {
    search: (query, signal) => withoutUnexpectedErrors(search(query, signal), signal),
    readPage: (asked, signal) => withoutUnexpectedErrors(readPage(asked, signal), signal),
  }
}

export function searchForModel({ results }: SearchOutput): ModelText {
  if (results.length === 0) return 'The search worked and found nothing.'
  const listed = results.map(({ number, title, url, date, snippet }) =>
    [`[${number}] ${title}`, `URL: ${url}`, ...(date ? [`Date: ${date}`] : []), snippet].join('\n'),
  )
  return { from: 'a web search', text: listed.join('\n\n') }
}

export const pageForModel = ({ number, url, title, text }: ReadPage): ModelText => ({
  from: `the page [${number}]`,
  // The site chooses the address after a redirect, so that address is untrusted too.
  text: `URL: ${url}\n${title}\n\n${text}`,
})

/**
 * The results of an answer's tools, for the model that continues the answer; null if there are none. The text of a page is not stored, so
 * the list names the pages, and the model can read them again.
 */
export function foundForModel(mark: string, parts: readonly MessagePart[]): string | null {
  const searches = parts.filter(isSearch).flatMap((part) => searchOutputOf(part) ?? [])
  const found = searches.filter(({ results }) => results.length > 0).map((search) => quoted(mark, searchForModel(search)))
  const pages = parts.filter(isPageRead).flatMap((part) => pageOutputOf(part) ?? [])
  const read = pages.map(({ number, title, url }) => `[${number}] ${title}\nURL: ${url}`).join('\n\n')
  const material = [...found, ...(pages.length > 0 ? [quoteUntrusted(mark, 'a list of the pages that were read', read)] : [])]
  return material.length === 0 ? null : ['Found for your answer so far:', ...material].join('\n\n')
}
