/**
 * Search and page contents without a provider, for development: bundled pages, found by their words. A query that begins with "fail"
 * fails, and one that begins with "nothing" finds nothing, so that a developer can see both.
 */
import type { SearchProvider } from '../chat/tools/search-provider.ts'
import { ToolFailure } from '../chat/tools/tool-failure.ts'
import { cutAt } from '../contract/text-end.ts'
import { type StandInPage, standInPages } from './stand-in-pages.ts'

const maxResults = 4
const snippetChars = 220

/** Words without a meaning for the search. */
const fillers = new Set(
  'a about an and are do does explain for how in is it me of on or tell the to what when where who why with'.split(' '),
)

/** `delayMs`: the duration of a search and of a page. */
export const standIn = (delayMs: number): SearchProvider => ({
  isStandIn: true,
  search: async (query, signal) => {
    await pause(delayMs, signal)
    const words = wordsOf(query).filter((word) => !fillers.has(word))
    if (words[0] === 'fail') throw new ToolFailure('The search failed: the stand-in was told to fail.')
    if (words[0] === 'nothing') return []
    return standInPages
      .map((page) => ({ page, score: scoreOf(page, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, maxResults)
      .map(({ page: { title, url, date, text } }) => ({ title, url, date, snippet: `${cutAt(text, snippetChars).trimEnd()}…` }))
  },
  contents: async (url, signal) => {
    await pause(delayMs, signal)
    const page = standInPages.find((candidate) => candidate.url === url)
    if (!page) throw new ToolFailure('The page could not be read: without a search provider, only the bundled pages are available.')
    return { url, title: page.title, text: page.text, isCut: false }
  },
})

const pause = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, delayMs)
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? []

/** The page about the stand-in is always the last result, so that a first search finds something. */
function scoreOf({ title, text, isAlwaysFound }: StandInPage, words: readonly string[]): number {
  if (isAlwaysFound) return 0.5
  const inTitle = new Set(wordsOf(title))
  const inText = new Set(wordsOf(text))
  return words.reduce((sum, word) => sum + (inTitle.has(word) ? 3 : 0) + (inText.has(word) ? 1 : 0), 0)
}
