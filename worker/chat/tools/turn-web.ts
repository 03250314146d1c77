/**
 * The web as one answer may use it, with everything that keeps it inside the person's request: how often it is searched, which pages are
 * opened, which number a source has. Made anew for every turn; the connections are those of all that is written beside it.
 */
import type { ChatMessage, MessagePart } from '../../contract/messages.ts'
import {
  isPageRead,
  isSearch,
  type PageOutput,
  pageOutputOf,
  type SearchOutput,
  searchOutputOf,
  sourceAddresses,
} from '../../contract/tools.ts'
import { logger } from '../../lib/logger.ts'
import type { ConnectionGate } from './connection-gate.ts'
import { type PageNetwork, withPage } from './fetch-page.ts'
import { pageKey, siteOf } from './public-url.ts'
import { type ReadableText, readableText } from './readable-text.ts'
import { ReadingRights } from './reading-rights.ts'
import type { SearchProvider } from './search-provider.ts'
import { ToolFailure, toolErrorText } from './tool-failure.ts'
import { quoteUntrusted } from './untrusted.ts'

export type ToolWorld = {
  readonly provider: SearchProvider
  readonly network: PageNetwork
  readonly connections: ConnectionGate
  /** Unguessable; see untrusted.ts. */
  readonly mark: string
  readonly readText?: typeof readableText
}

/** What the turn starts from. An answer that continues another one goes on counting its sources. */
export type ToolContext = { readonly history: readonly ChatMessage[]; readonly continued?: readonly MessagePart[] | undefined }

type Caps = { readonly searches: number; readonly reads: number }

/** A page as the tool returns it; its text is for the model alone (`shownOutput`). */
export type ReadPage = PageOutput & { readonly text: string }

/** Both throw a ToolFailure when they could not, and whatever the signal was aborted with when they were stopped. */
export type TurnWeb = {
  search(query: string, signal: AbortSignal): Promise<SearchOutput>
  readPage(asked: string, signal: AbortSignal): Promise<ReadPage>
}

export function turnWeb(
  { history, continued = [] }: ToolContext,
  { provider, network, connections, readText = readableText }: Omit<ToolWorld, 'mark'>,
  caps: Caps,
): TurnWeb {
  const rights = new ReadingRights(history)
  const numbers = new Map<string, number>()
  const left = { ...caps }

  const keyOf = (url: string): string => pageKey(url) ?? url
  /** An address that has a number keeps it. */
  const note = (url: string, number: number): void => void (numbers.has(keyOf(url)) || numbers.set(keyOf(url), number))

  const known = sourceAddresses(continued)
  let newest = Math.max(0, ...known.map(({ number }) => number))
  // As what was asked for first: where that led to was read already, and tells nobody anything new.
  const addresses = [...known.map(({ asked, number }) => ({ url: asked, number })), ...known]
  for (const { url, number } of addresses) {
    rights.allow(url)
    note(url, number)
  }

  const numberOf = (url: string): number => {
    const number = numbers.get(keyOf(url)) ?? ++newest
    note(url, number)
    return number
  }

  const search = async (query: string, signal: AbortSignal): Promise<SearchOutput> => {
    if (left.searches === 0) throw new ToolFailure(`No more than ${caps.searches} searches are made for one answer.`)
    left.searches -= 1
    const found = await connections.run(() => provider.search(query, signal))
    const results = found.map(({ title, url, date, snippet }) => {
      rights.allow(url)
      const site = siteOf(url)
      return { number: numberOf(url), title: title || site, url, site, ...(date === null ? {} : { date }), snippet }
    })
    return { results, ...(provider.isStandIn ? { standIn: true as const } : {}) }
  }

  const textOfPage = async (url: string, signal: AbortSignal): Promise<{ url: string } & ReadableText> => {
    const held = await provider.heldPage(url, signal)
    if (held) return { url, ...held }
    return connections.run(() => withPage(url, network, signal, async (page) => ({ url: page.url, ...(await readText(page)) })))
  }

  const readPage = async (asked: string, signal: AbortSignal): Promise<ReadPage> => {
    const url = rights.given(asked)
    if (url === null) throw new ToolFailure('Only pages that this answer searched for or that your latest messages name are opened.')
    if (left.reads === 0) throw new ToolFailure(`No more than ${caps.reads} pages are read for one answer.`)
    left.reads -= 1
    const page = await textOfPage(url, signal)
    const site = siteOf(page.url)
    const number = numberOf(url)
    // Found again as where it leads to, it is the same source.
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
    search: (query, signal) => withoutSurprise(search(query, signal), signal),
    readPage: (asked, signal) => withoutSurprise(readPage(asked, signal), signal),
  }
}

/** The model is told what a tool failed to do, not what our code stumbled over: that is for the log. */
async function withoutSurprise<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ToolFailure || signal.aborted) throw error
    logger.error('tool_failed', error)
    throw new ToolFailure(toolErrorText(error))
  }
}

export function searchForModel(mark: string, { results }: SearchOutput): string {
  if (results.length === 0) return 'The search worked and found nothing.'
  const listed = results.map(({ number, title, url, date, snippet }) =>
    [`[${number}] ${title}`, `URL: ${url}`, ...(date ? [`Date: ${date}`] : []), snippet].join('\n'),
  )
  return quoteUntrusted(mark, 'a web search', listed.join('\n\n'))
}

export const pageForModel = (mark: string, { number, url, title, text }: ReadPage): string =>
  // Where a redirect ended is as much the site's own word as what stands there.
  quoteUntrusted(mark, `the page [${number}]`, `URL: ${url}\n${title}\n\n${text}`)

/**
 * What the tools of an answer have found, for the model that goes on with it; null: nothing. The text of a page that was read is not kept, so
 * it is named, and can be read again.
 */
export function foundForModel(mark: string, parts: readonly MessagePart[]): string | null {
  const searches = parts.filter(isSearch).flatMap((part) => searchOutputOf(part) ?? [])
  const found = searches.filter(({ results }) => results.length > 0).map((search) => searchForModel(mark, search))
  const pages = parts.filter(isPageRead).flatMap((part) => pageOutputOf(part) ?? [])
  const read = pages.map(({ number, title, url }) => `[${number}] ${title}\nURL: ${url}`).join('\n\n')
  const quoted = [...found, ...(pages.length > 0 ? [quoteUntrusted(mark, 'a list of the pages that were read', read)] : [])]
  return quoted.length === 0 ? null : ['Found for your answer so far:', ...quoted].join('\n\n')
}

/** What of a tool's output is stored and shown: a page's text would weigh on every device and is not ours to keep. */
export function shownOutput(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || !('text' in output)) return output
  const { text: _forTheModelAlone, ...shown } = output
  return shown
}
