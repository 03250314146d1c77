/**
 * Search and page contents from Exa (https://exa.ai/docs/reference/search, https://exa.ai/docs/reference/get-contents). Exa fetches the
 * pages, so the Worker never connects to an address that a user, a model or a page names.
 */
import { z } from 'zod'
import { maxPageChars, pageCrawlTimeoutMs, pageTimeoutMs, searchTimeoutMs } from '../../contract/limits.ts'
import { maxPageTokens } from '../../contract/models/context-budget.ts'
import { cutToTokens } from '../../contract/models/token-estimates.ts'
import { cutAt } from '../../contract/text.ts'
import type { CallFailure } from '../../contract/tools/call-failures.ts'
import { oneLine, visibleText } from '../../contract/visible-text.ts'
import { boundedJson, EndlessBodyError } from '../../lib/bounded-body.ts'
import type { FoundPage, PageContents, SearchProvider } from './search-provider.ts'
import { PageFailure, ToolFailure } from './tool-failure.ts'

type ExaAccount = { readonly apiKey: string; readonly url: string | null }

type Timeouts = { readonly searchMs: number; readonly pageMs: number }

const exaUrl = 'https://api.exa.ai'
const resultsPerSearch = 6
const snippetChars = 600
const maxTitleChars = 200
/** Chosen: several times the JSON of six results with snippets, or of one page of `maxPageChars`. */
const maxResponseBytes = 1_000_000

/** Only the address is required; any other field may be missing or have another type. */
const optionalText = z.string().nullish().catch(null)
const webUrl = z.url({ protocol: /^https?$/ })
const resultSchema = z.object({ title: optionalText, url: webUrl, publishedDate: optionalText, text: optionalText })
/** The results are parsed one by one, so an invalid result drops only itself. */
const searchSchema = z.object({ results: z.array(z.unknown()) })
const pageSchema = z.object({ title: optionalText, url: webUrl.nullish().catch(null), text: optionalText })
const statusSchema = z.object({ status: z.string(), error: z.object({ tag: optionalText }).nullish().catch(null) })
const contentsSchema = z.object({ results: z.array(pageSchema), statuses: z.array(statusSchema).default([]) })

export function exa(
  { apiKey, url }: ExaAccount,
  send: typeof fetch,
  timeouts: Timeouts = { searchMs: searchTimeoutMs, pageMs: pageTimeoutMs },
): SearchProvider {
  const post = async <T>(path: string, body: object, schema: z.ZodType<T>, timeoutMs: number, signal: AbortSignal): Promise<T> => {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await send(`${url ?? exaUrl}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
        body: JSON.stringify(body),
        // A redirect would send the key to another server.
        redirect: 'manual',
        signal: AbortSignal.any([signal, timeout]),
      })
      if (!response.ok) {
        await response.body?.cancel()
        throw failureOf(response.status)
      }
      return schema.parse(await boundedJson(response, maxResponseBytes))
    } catch (error) {
      if (error instanceof ExaError || signal.aborted) throw error
      if (timeout.aborted) throw new ExaError('search_slow', 'the search service took too long to answer.', { cause: error })
      const isUnreadable = error instanceof SyntaxError || error instanceof EndlessBodyError || error instanceof z.ZodError
      if (isUnreadable) throw new ExaError(...unreadable, { cause: error })
      throw new ExaError('search_unreachable', 'the search service could not be reached.', { cause: error })
    }
  }
  return {
    isStandIn: false,
    search: async (query, signal) => {
      const body = { query, type: 'auto', numResults: resultsPerSearch, contents: { text: { maxCharacters: snippetChars } } }
      try {
        return foundIn(await post('search', body, searchSchema, timeouts.searchMs, signal))
      } catch (error) {
        throw error instanceof ExaError ? new ToolFailure(error.code, `The search failed: ${error.message}`, { cause: error }) : error
      }
    },
    contents: async (page, signal) => {
      // One more character shows whether the page is longer.
      const body = { urls: [page], text: { maxCharacters: maxPageChars + 1 }, livecrawlTimeout: pageCrawlTimeoutMs }
      try {
        return contentsIn(await post('contents', body, contentsSchema, timeouts.pageMs, signal), page)
      } catch (error) {
        throw error instanceof ExaError
          ? new PageFailure(error.code, `The page could not be read: ${error.message}`, { cause: error })
          : error
      }
    },
  }
}

/** A response without a usable result. The message completes the sentence for the model. */
class ExaError extends Error {
  override readonly name = 'ExaError'
  readonly code: CallFailure

  constructor(code: CallFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

const unreadable = ['search_unreadable', 'the search service sent something unreadable.'] as const

/** https://exa.ai/docs/reference/error-codes */
function failureOf(status: number): ExaError {
  if (status === 401 || status === 403) return new ExaError('search_key', 'the search service refused our key.')
  if (status === 402) return new ExaError('search_funds', 'our account at the search service has run out of funds.')
  if (status === 429) return new ExaError('search_busy', 'the search service is too busy right now.')
  return new ExaError('search_error', `the search service reported an error (${status}).`)
}

function foundIn({ results }: z.infer<typeof searchSchema>): FoundPage[] {
  const readable = results.flatMap((result) => resultSchema.safeParse(result).data ?? [])
  // If every result is invalid, the search failed.
  if (readable.length === 0 && results.length > 0) throw new ExaError(...unreadable)
  return readable.slice(0, resultsPerSearch).map(({ title, url, publishedDate, text }) => ({
    title: titleOf(title),
    url,
    date: dateOf(publishedDate),
    snippet: cutAt(oneLine(text ?? ''), snippetChars),
  }))
}

/** A page that Exa could not fetch is an entry of `statuses` in a response with status 200. */
function contentsIn({ results: [page], statuses: [status] }: z.infer<typeof contentsSchema>, asked: string): PageContents {
  if (status && status.status !== 'success') throw crawlFailureOf(status.error?.tag ?? '')
  if (!page) throw new ExaError('page_empty', 'the search service has no contents for it.')
  const text = visibleText(page.text ?? '').trim()
  if (text === '') throw new ExaError('page_empty', 'it has no readable text.')
  const beginning = cutToTokens(cutAt(text, maxPageChars), maxPageTokens)
  return { url: page.url ?? asked, title: titleOf(page.title), text: beginning, isCut: beginning.length < text.length }
}

/** Exa adds tags without notice, so an unknown tag is not an error. */
function crawlFailureOf(tag: string): ExaError {
  if (tag === 'CRAWL_NOT_FOUND') return new ExaError('page_missing', 'the site has no such page.')
  if (tag === 'CRAWL_TIMEOUT' || tag === 'CRAWL_LIVECRAWL_TIMEOUT') return new ExaError('page_slow', 'the site took too long to answer.')
  if (tag === 'SOURCE_NOT_AVAILABLE') return new ExaError('page_forbidden', 'the site does not allow it.')
  return new ExaError('page_unread', 'the search service could not fetch it.')
}

const titleOf = (title: string | null | undefined): string => cutAt(oneLine(title ?? ''), maxTitleChars)

const dateOf = (text: string | null | undefined): string | null => /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0] ?? null
