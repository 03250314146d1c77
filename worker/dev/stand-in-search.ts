/**
 * Search and page contents without a provider, for development: bundled pages, found by their words. A query that begins with "fail"
 * fails, and one that begins with "nothing" finds nothing, so that a developer can see both.
 */
import type { SearchProvider } from '../chat/tools/search-provider.ts'
import { ToolFailure } from '../chat/tools/tool-failure.ts'
import { cutAt } from '../contract/text.ts'

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
    if (words[0] === 'fail') throw new ToolFailure('search_error', 'The search failed: the stand-in fails on request.')
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
    if (!page)
      throw new ToolFailure('page_missing', 'The page could not be read: without a search provider, only the bundled pages are available.')
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

/** The pages of the stand-in search. Their domain is reserved (RFC 2606) and does not resolve. */
type StandInPage = {
  readonly title: string
  readonly url: string
  readonly date: string
  readonly text: string
  readonly isAlwaysFound?: true
}

const standInPages: readonly StandInPage[] = [
  {
    title: 'Why the tides come twice a day',
    url: 'https://library.parley.example/tides',
    date: '2026-03-14',
    text: `The moon pulls harder on the side of the earth that faces it than on the middle, and harder on the middle than on the far side. The sea therefore rises in two places at once: under the moon, and opposite to it. The earth turns below both bulges, so most coasts see two high tides in a little over a day.
The sun does the same with less than half the strength. When sun and moon stand in one line, at new and full moon, their pulls add up to spring tides; at half moon they work against each other and the tides are neap.
How high the water really rises is decided by the shape of the coast. A bay that narrows and whose own swing fits the rhythm of the tide can lift the sea by more than ten metres.`,
  },
  {
    title: 'How bread rises',
    url: 'https://library.parley.example/bread',
    date: '2026-01-22',
    text: `Yeast eats sugars in the flour and gives off carbon dioxide. Kneading has joined the proteins of the wheat into gluten, an elastic net that holds the gas in bubbles. Warm dough rises quickly and tastes of little; cold dough rises slowly, and the time gives acids and alcohols a chance to make flavour.
In the oven the gas expands, the yeast dies at about 55 degrees, and the starch sets at around 70. The crust browns last, when the surface has dried enough to become hotter than boiling water.`,
  },
  {
    title: 'A short history of time zones',
    url: 'https://library.parley.example/time-zones',
    date: '2025-11-02',
    text: `Until the railways came, every town kept the time of its own sun. Timetables made that impossible: two trains that meet must agree on when. Railway companies first drew zones of their own; in 1884 a conference in Washington chose the meridian of Greenwich as the one to count from.
Today's zones follow borders more than the sun. Some differ from their neighbours by half an hour or by three quarters of one, and countries still move theirs, often with a few weeks' notice.`,
  },
  {
    title: 'What makes a bicycle stay up',
    url: 'https://library.parley.example/bicycle',
    date: '2026-05-30',
    text: `A moving bicycle that begins to fall steers into the fall by itself, and so brings its wheels back under its weight. Two things help: the spinning front wheel turns when it is tilted, and the wheel touches the ground a little behind the axis it is steered about, which makes it trail like the castor of a trolley.
Neither is strictly needed. Experimental bicycles without gyroscopic effect and without trail have been built that still ride upright, because their mass was placed so that falling turned the handlebar.`,
  },
  {
    title: 'Tea, from one leaf',
    url: 'https://library.parley.example/tea',
    date: '2025-09-18',
    text: `Green, white, oolong and black tea come from the same plant. What differs is how far the leaf is allowed to oxidise after it is picked. Green tea is heated soon, so that the enzymes stop; black tea is rolled and left until it is dark; oolong lies between.
Water for green tea is best at 70 to 80 degrees, because hotter water draws out bitterness. Black tea wants water that has just boiled.`,
  },
  {
    title: 'How the moon was made',
    url: 'https://library.parley.example/moon',
    date: '2026-07-09',
    text: `The most widely held explanation is a collision. Some four and a half thousand million years ago a body about the size of Mars struck the young earth, and what was thrown into orbit gathered into the moon. It explains why moon rock resembles the earth's mantle and holds so little iron.
The moon still moves away from us by almost four centimetres a year. The tides pay for it: they slow the earth's rotation and hand its momentum on.`,
  },
  {
    title: 'About this stand-in for web search',
    url: 'https://library.parley.example/about',
    date: '2026-10-01',
    isAlwaysFound: true,
    text: `No search provider is connected to this installation, so these results come from a few pages that are bundled with the product: tides, bread, time zones, bicycles, tea and the moon. They are real text, but nothing else can be found or read.
With SEARCH_API_KEY set, the same controls search and read the web. A query that begins with the word fail shows what a failed search looks like, and one that begins with nothing shows a search without results.`,
  },
]
