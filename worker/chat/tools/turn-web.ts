/**
 * The web as one answer may use it, with everything that keeps it inside the person's request: how often it is searched, which pages are
 * opened, which number a source has. Made anew for every turn; the connections are those of all that is written beside it.
 */
import type { ChatMessage, MessagePart } from '../../contract/messages.ts'
import { type PageOutput, type SearchOutput, sourcesOf } from '../../contract/tools.ts'
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
  for (const { url } of sourcesOf(continued)) rights.allow(url)
  const numbers = new Map(sourcesOf(continued).map(({ number, url }) => [pageKey(url) ?? url, number]))
  const left = { ...caps }

  const numberOf = (url: string): number => {
    const key = pageKey(url) ?? url
    const number = numbers.get(key) ?? Math.max(0, ...numbers.values()) + 1
    numbers.set(key, number)
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
    return {
      number: numberOf(url),
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
  quoteUntrusted(mark, `the page [${number}] ${url}`, `${title}\n\n${text}`)

/** What of a tool's output is stored and shown: a page's text would weigh on every device and is not ours to keep. */
export function shownOutput(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || !('text' in output)) return output
  const { text: _forTheModelAlone, ...shown } = output
  return shown
}
