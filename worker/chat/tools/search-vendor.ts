/** Search by a company that speaks Exa's API: one POST with a key, results with a passage of their text. */
import { z } from 'zod'
import { searchTimeoutMs } from '../../contract/limits.ts'
import { cutAt } from '../../contract/text-end.ts'
import { boundedJson, EndlessBodyError } from '../../lib/bounded-body.ts'
import type { FoundPage, SearchProvider } from './search-provider.ts'
import { ToolFailure } from './tool-failure.ts'
import { visibleText } from './visible-text.ts'

export type SearchAccount = { readonly apiKey: string; readonly url: string | null }

const vendorUrl = 'https://api.exa.ai'
const resultsPerSearch = 6
const snippetChars = 600
const maxTitleChars = 200
/** Ours: a hundred times what six results with their passages take. */
const maxAnswerBytes = 1_000_000

/** An address is a result; the rest may be missing, or something else. */
const told = z.string().nullish().catch(null)
const resultSchema = z.object({ title: told, url: z.url({ protocol: /^https?$/ }), publishedDate: told, text: told })
/** A single broken result costs itself, not the search. */
const answerSchema = z.object({ results: z.array(z.unknown()) })

export function searchVendor({ apiKey, url }: SearchAccount, fetchResults: typeof fetch, timeoutMs = searchTimeoutMs): SearchProvider {
  return {
    isStandIn: false,
    heldPage: async () => null,
    search: async (query, signal) => {
      const clock = AbortSignal.timeout(timeoutMs)
      const limits = AbortSignal.any([signal, clock])
      try {
        const response = await fetchResults(`${url ?? vendorUrl}/search`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
          body: JSON.stringify({ query, type: 'auto', numResults: resultsPerSearch, contents: { text: { maxCharacters: snippetChars } } }),
          // A key does not travel on to wherever somebody points.
          redirect: 'manual',
          signal: limits,
        })
        if (!response.ok) {
          await response.body?.cancel()
          throw new ToolFailure(sentenceFor(response.status))
        }
        return foundIn(await boundedJson(response, maxAnswerBytes))
      } catch (error) {
        if (error instanceof ToolFailure || signal.aborted) throw error
        if (clock.aborted) throw new ToolFailure('The search failed: the search service took too long to answer.')
        if (error instanceof SyntaxError || error instanceof EndlessBodyError || error instanceof z.ZodError) throw unreadable(error)
        throw new ToolFailure('The search failed: the search service could not be reached.', { cause: error })
      }
    },
  }
}

function sentenceFor(status: number): string {
  if (status === 401 || status === 403) return 'The search failed: the search service refused our key.'
  if (status === 402) return 'The search failed: our account at the search service has run out of funds.'
  if (status === 429) return 'The search failed: the search service is too busy right now.'
  return `The search failed: the search service reported an error (${status}).`
}

function foundIn(answer: unknown): FoundPage[] {
  const { results } = answerSchema.parse(answer)
  const readable = results.flatMap((result) => resultSchema.safeParse(result).data ?? [])
  // Something was found, and it cannot be said what: that is not nothing.
  if (readable.length === 0 && results.length > 0) throw unreadable()
  return readable.slice(0, resultsPerSearch).map(({ title, url, publishedDate, text }) => ({
    title: cutAt(oneLine(title ?? ''), maxTitleChars),
    url,
    date: dateOf(publishedDate),
    snippet: cutAt(oneLine(text ?? ''), snippetChars),
  }))
}

const unreadable = (cause?: unknown): ToolFailure =>
  new ToolFailure('The search failed: the search service sent something unreadable.', { cause })

const oneLine = (text: string): string => visibleText(text).replace(/\s+/g, ' ').trim()

const dateOf = (text: string | null | undefined): string | null => /^\d{4}-\d{2}-\d{2}/.exec(text ?? '')?.[0] ?? null
