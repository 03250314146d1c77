/**
 * Search without a search company, for development: a handful of pages of our own, found by their words. A query that begins with
 * "fail" fails and one that begins with "nothing" finds nothing, so that both can be seen.
 */
import { cutAt } from '../../contract/text-end.ts'
import type { SearchProvider } from './search-provider.ts'
import { type StandInPage, standInPages } from './stand-in-pages.ts'
import { ToolFailure } from './tool-failure.ts'

const maxResults = 4
const snippetChars = 220

/** Words that stand in every question and say nothing about it. */
const fillers = new Set(
  'a about an and are do does explain for how in is it me of on or tell the to what when where who why with'.split(' '),
)

/** `delayMs`: how long a search or a page takes. */
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
  heldPage: async (url, signal) => {
    const page = standInPages.find((candidate) => candidate.url === url)
    if (!page) return null
    await pause(delayMs, signal)
    return { title: page.title, text: page.text, isCut: false }
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

/** The page that says what this is always comes last, so that no search by a newcomer finds nothing by accident. */
function scoreOf({ title, text, isAlwaysFound }: StandInPage, words: readonly string[]): number {
  if (isAlwaysFound) return 0.5
  const inTitle = new Set(wordsOf(title))
  const inText = new Set(wordsOf(text))
  return words.reduce((sum, word) => sum + (inTitle.has(word) ? 3 : 0) + (inText.has(word) ? 1 : 0), 0)
}
