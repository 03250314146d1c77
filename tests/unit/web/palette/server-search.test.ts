// The palette's handling of the server's search results, errors and timeouts.
import { afterEach, expect, test, vi } from 'vitest'
import { serverSearchOf } from '../../../../web/features/palette/use-found-threads.tsx'
import { searchMessages } from '../../../../web/lib/search-messages.ts'
import { refusal } from '../../../../worker/contract/errors.ts'
import type { FoundMessages, SearchFilter } from '../../../../worker/contract/threads/search.ts'
import { sentenceOf } from '../../../support/refused-sentence.ts'

const found = [{ threadId: 'thread', messageId: 'message', title: null, excerpt: 'the moon' }]
const answer: FoundMessages = { found, isComplete: true, isCut: false }

const none = {}
const filter = { role: 'user' } as const
const asked = (query: string, of: SearchFilter = none) => ({ query, filter: of })
const answered = (to: FoundMessages | { readonly failed: string } = answer, query = 'moon', of: SearchFilter = none) => ({
  ...asked(query, of),
  answer: to,
})

test('a result counts for its query and filter only; before, the search is pending, and offline it is not', () => {
  const nothing = { found: [], note: null, isLooking: false }
  expect(serverSearchOf(asked(''), answered(answer, ''), false)).toEqual(nothing)
  expect(serverSearchOf(asked('moon'), answered(), false)).toEqual({ found, note: null, isLooking: false })
  expect(serverSearchOf(asked('', filter), answered(answer, '', filter), false)).toEqual({ found, note: null, isLooking: false })
  for (const [question, given] of [
    [asked('moon sea'), answered()],
    [asked('moon', filter), answered()],
    [asked('', filter), answered(answer, '')],
    [asked('moon'), null],
  ] as const)
    expect(serverSearchOf(question, given, false)).toEqual({ ...nothing, isLooking: true })
  const offline = { found: [], note: 'You are offline. Only your latest threads were searched.', isLooking: false }
  expect(serverSearchOf(asked('moon'), answered(), true)).toEqual(offline)
})

test('a line states what was not searched', () => {
  const partly = serverSearchOf(asked('moon'), answered({ found, isComplete: false, isCut: false }), false)
  expect(partly).toEqual({ found, note: 'Older messages are still loading. There may be more results.', isLooking: false })
  const cut = serverSearchOf(asked('moon'), answered({ found, isComplete: true, isCut: true }), false)
  expect(cut).toEqual({ found, note: 'Not all threads were searched. Add a word to narrow the search.', isLooking: false })
  const refused = serverSearchOf(asked('moon'), answered({ failed: 'Too many.' }), false)
  expect(refused).toEqual({ found: [], note: 'Only your latest threads were searched. Too many.', isLooking: false })
})

afterEach(() => void vi.unstubAllGlobals())

const ask = (respond: () => Response | Promise<Response>, signal = new AbortController().signal) => {
  vi.stubGlobal('location', { origin: 'http://localhost' })
  vi.stubGlobal('fetch', async () => respond())
  return searchMessages({ query: 'moon', filter: {}, without: [] }, signal)
}

test('a result, a refusal, invalid data and a timeout', async () => {
  expect(await ask(() => Response.json(answer))).toEqual(answer)
  const refused = () => Response.json({ error: refusal('session_required') }, { status: 401 })
  expect(await ask(refused)).toEqual({ failed: sentenceOf('session_required'), code: 'session_required' })
  expect(await ask(() => Response.json({ found: 'many' }))).toEqual({ failed: sentenceOf('internal'), code: 'internal' })
  expect(await ask(() => new Response('<html>', { status: 502 }))).toEqual({ failed: sentenceOf('internal'), code: 'internal' })
  expect(await ask(() => Promise.reject(new TypeError('Failed to fetch')))).toEqual({
    failed: "The server can't be reached. Check your connection and try again.",
  })
})

test('an aborted search returns nothing', async () => {
  const given = AbortSignal.abort()
  expect(await ask(() => Response.json(answer), given)).toBeNull()
  expect(await ask(() => Promise.reject(given.reason), given)).toBeNull()
})
