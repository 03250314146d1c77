// A search that failed says so, in words; a search that found nothing is no failure.
import { afterEach, describe, expect, test } from 'vitest'
import { searchVendor } from '../../../../worker/chat/tools/search-vendor.ts'
import { ToolFailure } from '../../../../worker/chat/tools/tool-failure.ts'
import { type SearchBehaviour, type SearchPeer, startSearchPeer } from '../../../support/peers/search.ts'

let peer: SearchPeer | null = null
afterEach(async () => {
  await peer?.stop()
  peer = null
})

async function search(behaviour: SearchBehaviour, { timeoutMs = 2000, apiKey = 'key-of-the-search-peer' } = {}) {
  peer = await startSearchPeer(() => behaviour)
  return searchVendor({ url: peer.url, apiKey }, fetch, timeoutMs).search('tides', new AbortController().signal)
}

const failureOf = async (found: Promise<unknown>): Promise<string> => {
  const error = await found.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ToolFailure)
  return (error as ToolFailure).message
}

test('results come with title, address, day and a passage on one line', async () => {
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

test('a letter is never cut in two, and half a letter that came is none', async () => {
  const [found] = await search({
    kind: 'results',
    results: [{ url: 'https://a.org/', title: `${'a'.repeat(199)}😀😀`, text: `${'b'.repeat(599)}😀` }],
  })
  expect(found).toMatchObject({ title: 'a'.repeat(199), snippet: 'b'.repeat(599) })
  await peer?.stop()
  const halves = '{"results":[{"url":"https://a.org/","title":"T\\ud83d","text":"a \\udc00 b"}]}'
  expect(await search({ kind: 'body', body: halves })).toMatchObject([{ title: 'T', snippet: 'a b' }])
})

test('nothing found is an empty list', async () => {
  expect(await search({ kind: 'results', results: [] })).toEqual([])
})

test('a result that cannot be a page is dropped alone', async () => {
  const results = ['javascript:alert(1)', 'file:///etc/passwd', 'not an address', 'https://good.org/'].map((url) => ({ url }))
  expect((await search({ kind: 'results', results })).map(({ url }) => url)).toEqual(['https://good.org/'])
})

test('what can be read is taken, however much stands before it that cannot', async () => {
  const body = JSON.stringify({
    results: [...Array(9).fill({ id: 1, link: 'https://a.org/' }), null, { url: 'https://good.org/', title: 7 }],
  })
  expect(await search({ kind: 'body', body })).toEqual([{ title: '', url: 'https://good.org/', date: null, snippet: '' }])
})

describe('what goes wrong is said', () => {
  test.each<[string, SearchBehaviour, RegExp]>([
    ['401', { kind: 'status', status: 401 }, /refused our key/],
    ['402', { kind: 'status', status: 402 }, /run out of funds/],
    ['429', { kind: 'status', status: 429 }, /too busy/],
    ['500', { kind: 'status', status: 500 }, /reported an error \(500\)/],
    ['no JSON', { kind: 'body', body: '<html>' }, /unreadable/],
    ['JSON of another kind', { kind: 'body', body: '{"answers":[]}' }, /unreadable/],
    ['results of another kind', { kind: 'body', body: '{"results":[{"id":1,"link":"https://a.org/"},{"error":"down"}]}' }, /unreadable/],
    ['an answer of more than an answer takes', { kind: 'body', body: `{"results":[]${' '.repeat(1_000_000)}}` }, /unreadable/],
    ['a torn connection', { kind: 'hang-up' }, /could not be reached/],
    ['a redirect, which would carry the key away', { kind: 'redirect', to: 'https://elsewhere.org/search' }, /reported an error \(307\)/],
  ])('%s', async (_name, behaviour, sentence) => {
    const text = await failureOf(search(behaviour))
    expect(text).toMatch(/^The search failed: /)
    expect(text).toMatch(sentence)
  })

  test.each<[string, SearchBehaviour]>([
    ['silence', { kind: 'stall' }],
    ['half an answer', { kind: 'half' }],
  ])('%s, within the limit', async (_name, behaviour) => {
    expect(await failureOf(search(behaviour, { timeoutMs: 60 }))).toMatch(/took too long/)
  })

  test('a key that is refused is not named', async () => {
    expect(await failureOf(search({ kind: 'results', results: [] }, { apiKey: 'wrong-key' }))).not.toContain('wrong-key')
  })
})
