// Exa's API against a peer on loopback: results, contents, limits and failures.
import { afterEach, describe, expect, test } from 'vitest'
import { exa } from '../../../../worker/chat/tools/exa.ts'
import { PageFailure, ToolFailure } from '../../../../worker/chat/tools/tool-failure.ts'
import { maxPageChars } from '../../../../worker/contract/limits.ts'
import { maxPageTokens } from '../../../../worker/contract/models/context-budget.ts'
import { type PageBehaviour, type SearchBehaviour, type SearchPeer, startSearchPeer } from '../../../support/peers/search.ts'

let peer: SearchPeer | null = null
afterEach(async () => {
  await peer?.stop()
  peer = null
})

const { signal } = new AbortController()
const nothingFound: SearchBehaviour = { kind: 'results', results: [] }
type Given = { readonly timeoutMs?: number; readonly apiKey?: string }

const connect = ({ url, key }: SearchPeer, { timeoutMs = 2000, apiKey = key }: Given) =>
  exa({ url, apiKey }, fetch, { searchMs: timeoutMs, pageMs: timeoutMs })

async function search(behaviour: SearchBehaviour, given: Given = {}) {
  peer = await startSearchPeer(() => behaviour)
  return connect(peer, given).search('tides', signal)
}

async function read(behaviour: PageBehaviour, given: Given = {}) {
  peer = await startSearchPeer(
    () => nothingFound,
    () => behaviour,
  )
  return connect(peer, given).contents('https://sea.org/tide', signal)
}

const failureOf = async (found: Promise<unknown>): Promise<string> => {
  const error = await found.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ToolFailure)
  return (error as ToolFailure).message
}

test('results have title, address, day and an excerpt on one line', async () => {
  const found = await search({
    kind: 'results',
    results: [
      { title: 'The  tide', url: 'https://sea.org/tide', publishedDate: '2026-03-01T10:00:00.000Z', text: 'Twice\n a day' },
      { title: null, url: 'https://moon.org/' },
    ],
  })
  expect(found).toEqual([
    { title: 'The tide', url: 'https://sea.org/tide', date: '2026-03-01', snippet: 'Twice a day' },
    { title: '', url: 'https://moon.org/', date: null, snippet: '' },
  ])
  expect(peer?.asked).toMatchObject([{ query: 'tides', numResults: 6 }])
})

test('surrogate pairs are not cut, and half ones are dropped', async () => {
  const [found] = await search({
    kind: 'results',
    results: [{ url: 'https://a.org/', title: `${'a'.repeat(199)}😀😀`, text: `${'b'.repeat(599)}😀` }],
  })
  expect(found).toMatchObject({ title: 'a'.repeat(199), snippet: 'b'.repeat(599) })
  await peer?.stop()
  const halves = '{"results":[{"url":"https://a.org/","title":"T\\ud83d","text":"a \\udc00 b"}]}'
  expect(await search({ kind: 'body', body: halves })).toMatchObject([{ title: 'T', snippet: 'a b' }])
})

test('no results are an empty list', async () => {
  expect(await search({ kind: 'results', results: [] })).toEqual([])
})

test('an invalid result is dropped alone', async () => {
  const results = ['javascript:alert(1)', 'file:///etc/passwd', 'not an address', 'https://good.org/'].map((url) => ({ url }))
  expect((await search({ kind: 'results', results })).map(({ url }) => url)).toEqual(['https://good.org/'])
})

test('readable results are returned after any number of unreadable ones', async () => {
  const body = JSON.stringify({
    results: [...Array(9).fill({ id: 1, link: 'https://a.org/' }), null, { url: 'https://good.org/', title: 7 }],
  })
  expect(await search({ kind: 'body', body })).toEqual([{ title: '', url: 'https://good.org/', date: null, snippet: '' }])
})

const faults: readonly [string, SearchBehaviour & PageBehaviour, RegExp][] = [
  ['401', { kind: 'status', status: 401 }, /refused our key/],
  ['402', { kind: 'status', status: 402 }, /run out of funds/],
  ['429', { kind: 'status', status: 429 }, /too busy/],
  ['500', { kind: 'status', status: 500 }, /reported an error \(500\)/],
  ['no JSON', { kind: 'body', body: '<html>' }, /unreadable/],
  ['JSON of another shape', { kind: 'body', body: '{"answers":[]}' }, /unreadable/],
  ['a longer body than allowed', { kind: 'body', body: `{"results":[]${' '.repeat(1_000_000)}}` }, /unreadable/],
  ['a closed connection', { kind: 'hang-up' }, /could not be reached/],
  ['a redirect, which would carry the key away', { kind: 'redirect', to: 'https://elsewhere.org/search' }, /reported an error \(307\)/],
]
const timeouts: readonly [string, SearchBehaviour & PageBehaviour][] = [
  ['no response', { kind: 'stall' }],
  ['half a response', { kind: 'half' }],
]

describe('a failed search is a ToolFailure', () => {
  test.each(faults)('%s', async (_name, behaviour, sentence) => {
    const text = await failureOf(search(behaviour))
    expect(text).toMatch(/^The search failed: /)
    expect(text).toMatch(sentence)
  })

  test('results that are all unreadable', async () => {
    const body = '{"results":[{"id":1,"link":"https://a.org/"},{"error":"down"}]}'
    expect(await failureOf(search({ kind: 'body', body }))).toMatch(/unreadable/)
  })

  test.each(timeouts)('%s, within the time limit', async (_name, behaviour) => {
    expect(await failureOf(search(behaviour, { timeoutMs: 60 }))).toMatch(/took too long/)
  })

  test('the message does not contain the key', async () => {
    expect(await failureOf(search(nothingFound, { apiKey: 'wrong-key' }))).not.toContain('wrong-key')
  })
})

test('the contents of a page have its title and its address after redirects', async () => {
  const page = await read({ kind: 'page', url: 'https://sea.org/new', title: 'The  tide', text: '# The tide\r\n\r\nTwice a\u200b day.\n' })
  expect(page).toEqual({ url: 'https://sea.org/new', title: 'The tide', text: '# The tide\n\nTwice a day.', isCut: false })
  expect(peer?.opened).toMatchObject([{ urls: ['https://sea.org/tide'], text: { maxCharacters: maxPageChars + 1 } }])
})

test.each([
  ['no address', undefined],
  ['an address of another protocol', 'javascript:alert(1)'],
])('a result with %s keeps the requested address', async (_name, url) => {
  const body = JSON.stringify({ results: [{ url, text: 'Words.' }] })
  expect(await read({ kind: 'body', body })).toEqual({ url: 'https://sea.org/tide', title: '', text: 'Words.', isCut: false })
})

test.each([
  [maxPageChars, false],
  [maxPageChars + 1, true],
])('a page of %i characters is truncated: %j', async (chars, isCut) => {
  const page = await read({ kind: 'page', text: 'a'.repeat(chars) })
  expect(page).toMatchObject({ text: 'a'.repeat(maxPageChars), isCut })
})

test('a page in Chinese is truncated by its tokens', async () => {
  expect(await read({ kind: 'page', text: '茶'.repeat(maxPageTokens + 1) })).toMatchObject({
    text: '茶'.repeat(maxPageTokens),
    isCut: true,
  })
})

test('a long page is not cut inside a surrogate pair', async () => {
  const { text } = await read({ kind: 'page', text: `${'a'.repeat(maxPageChars - 1)}😀😀` })
  expect(text).toBe('a'.repeat(maxPageChars - 1))
})

describe('a page that could not be read is a PageFailure', () => {
  const pageFailureOf = async (page: Promise<unknown>) => {
    const error = await page.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PageFailure)
    return (error as PageFailure).message
  }

  test.each<[string, PageBehaviour, RegExp]>([
    ...faults,
    ['CRAWL_NOT_FOUND', { kind: 'failed', tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 }, /the site has no such page/],
    ['CRAWL_TIMEOUT', { kind: 'failed', tag: 'CRAWL_TIMEOUT', httpStatusCode: 408 }, /the site took too long/],
    ['CRAWL_LIVECRAWL_TIMEOUT', { kind: 'failed', tag: 'CRAWL_LIVECRAWL_TIMEOUT' }, /the site took too long/],
    ['SOURCE_NOT_AVAILABLE', { kind: 'failed', tag: 'SOURCE_NOT_AVAILABLE', httpStatusCode: 403 }, /the site does not allow it/],
    ['an unknown tag', { kind: 'failed', tag: 'CRAWL_SENT_THIS' }, /could not fetch it\.$/],
    ['an error without a tag', { kind: 'body', body: '{"results":[],"statuses":[{"status":"error"}]}' }, /could not fetch it/],
    ['no result', { kind: 'body', body: '{"results":[],"statuses":[]}' }, /has no contents/],
    ['no text', { kind: 'page', title: 'T', text: ' \n' }, /no readable text/],
    ['a text of another type', { kind: 'body', body: '{"results":[{"text":7}]}' }, /no readable text/],
  ])('%s', async (_name, behaviour, sentence) => {
    const text = await pageFailureOf(read(behaviour))
    expect(text).toMatch(/^The page could not be read: /)
    expect(text).toMatch(sentence)
  })

  test.each(timeouts)('%s, within the time limit', async (_name, behaviour) => {
    expect(await pageFailureOf(read(behaviour, { timeoutMs: 60 }))).toMatch(/took too long/)
  })
})

test('an aborted request rejects with the reason of its signal', async () => {
  peer = await startSearchPeer(
    () => ({ kind: 'stall' }),
    () => ({ kind: 'stall' }),
  )
  const provider = connect(peer, {})
  const stop = new AbortController()
  const pending = [provider.search('tides', stop.signal), provider.contents('https://sea.org/tide', stop.signal)]
  const reason = new Error('stopped')
  stop.abort(reason)
  expect(await Promise.allSettled(pending)).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ])
})
