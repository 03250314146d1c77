// The palette's handling of the server's search results, errors and timeouts.
import { afterEach, expect, test, vi } from 'vitest'
import { serverSearchOf } from '../../../../web/features/palette/use-server-search.ts'
import { en as refusals } from '../../../../web/lib/refusals/texts/en.ts'
import { searchMessages } from '../../../../web/lib/search-messages.ts'
import { refusal } from '../../../../worker/contract/errors.ts'
import type { FoundMessages } from '../../../../worker/contract/found-text.ts'

const found = [{ threadId: 'thread', messageId: 'message', title: null, excerpt: 'the moon' }]
const answer: FoundMessages = { found, isComplete: true, isCut: false }

test('a result counts for its query only; before, the search is pending, and offline it is not', () => {
  expect(serverSearchOf('', { query: '', answer }, false)).toEqual({ found: [], note: null, isLooking: false })
  expect(serverSearchOf('moon', { query: 'moon', answer }, false)).toEqual({ found, note: null, isLooking: false })
  expect(serverSearchOf('moon sea', { query: 'moon', answer }, false)).toEqual({ found: [], note: null, isLooking: true })
  expect(serverSearchOf('moon', null, false)).toEqual({ found: [], note: null, isLooking: true })
  const offline = { found: [], note: 'You are offline. Only your latest threads were searched.', isLooking: false }
  expect(serverSearchOf('moon', { query: 'moon', answer }, true)).toEqual(offline)
})

test('a line states what was not searched', () => {
  const partly = serverSearchOf('moon', { query: 'moon', answer: { found, isComplete: false, isCut: false } }, false)
  expect(partly).toEqual({ found, note: 'Older messages are still loading. There may be more results.', isLooking: false })
  const cut = serverSearchOf('moon', { query: 'moon', answer: { found, isComplete: true, isCut: true } }, false)
  expect(cut).toEqual({ found, note: 'Not all threads were searched. Add a word to narrow the search.', isLooking: false })
  const refused = serverSearchOf('moon', { query: 'moon', answer: { failed: 'Too many.' } }, false)
  expect(refused).toEqual({ found: [], note: 'Only your latest threads were searched. Too many.', isLooking: false })
})

afterEach(() => void vi.unstubAllGlobals())

const ask = (respond: () => Response | Promise<Response>, signal = new AbortController().signal) => {
  vi.stubGlobal('location', { origin: 'http://localhost' })
  vi.stubGlobal('fetch', async () => respond())
  return searchMessages({ query: 'moon', without: [] }, signal)
}

test('a result, a refusal, invalid data and a timeout', async () => {
  expect(await ask(() => Response.json(answer))).toEqual(answer)
  const refused = () => Response.json({ error: refusal('session_required') }, { status: 401 })
  expect(await ask(refused)).toEqual({ failed: refusals.session_required })
  expect(await ask(() => Response.json({ found: 'many' }))).toEqual({ failed: refusals.internal })
  expect(await ask(() => new Response('<html>', { status: 502 }))).toEqual({ failed: refusals.internal })
  expect(await ask(() => Promise.reject(new TypeError('Failed to fetch')))).toEqual({
    failed: "The server can't be reached. Check your connection and try again.",
  })
})

test('an aborted search returns nothing', async () => {
  const given = AbortSignal.abort()
  expect(await ask(() => Response.json(answer), given)).toBeNull()
  expect(await ask(() => Promise.reject(given.reason), given)).toBeNull()
})
