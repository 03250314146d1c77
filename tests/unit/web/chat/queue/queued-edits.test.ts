// Editors of queued messages: the text survives its page, however that ends, and belongs to one page.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLocalStorage } from '../../local-storage.ts'
import { type Browser, openBrowser } from '../../pages.ts'

const load = () => import('../../../../../web/features/chat/queue/queued-edits.ts')
type Editors = Awaited<ReturnType<typeof load>>

const key = 'parley:queued-edit:'
/** The content of the browser's storage. */
let items: Map<string, string>
let browser: Browser

beforeEach(() => {
  vi.useFakeTimers()
  items = stubLocalStorage()
  browser = openBrowser()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const openPage = (refused?: () => Promise<never>) => browser.openPage(load, refused)
const editorOf = ({ queuedEdits }: Editors) => queuedEdits.get().get('m')?.editorId ?? ''
const typed = ({ queuedEdits }: Editors) => [...queuedEdits.get()].map(([id, { text, was, state }]) => [id, text, was, state])

test('the text is restored after a crash, in the same editor', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'n' })
  page.changeQueuedEdit('m', { text: 'new' })
  vi.advanceTimersByTime(1000)
  page.end()
  const next = await openPage()
  await vi.waitFor(() => expect(typed(next)).toEqual([['m', 'new', 'old', 'open']]), 60_000)
  expect(editorOf(next)).toBe(editorOf(page))
  expect([page, next, await openPage()].map(({ isOwnEditor }) => isOwnEditor(editorOf(page)))).toEqual([true, true, false])
})

test('a reload loses no text, although its page still exists when the next one starts', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new' })
  page.leave()
  const next = await openPage()
  expect(typed(next)).toEqual([])
  // A page that ends before it has adopted loses nothing either.
  next.leave()
  next.end()
  const last = await openPage()
  page.end()
  last.look()
  await vi.waitFor(() => expect(typed(last)).toEqual([['m', 'new', 'old', 'open']]), 60_000)
})

test('a closed editor leaves nothing, also in a page that had adopted it', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.leave()
  page.end()
  const next = await openPage()
  await vi.waitFor(() => expect(typed(next)).toHaveLength(1), 60_000)
  next.closeQueuedEdit('m')
  expect(items.size).toBe(0)
})

test('two pages may edit one message, and neither gets the other’s text before that page has ended', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'here' })
  const other = await openPage()
  other.openQueuedEdit('m', 't', 'old')
  other.changeQueuedEdit('m', { text: 'there' })
  for (const { leave } of [page, other]) leave()
  expect(editorOf(other)).not.toBe(editorOf(page))
  page.end()
  other.look()
  expect(typed(other)).toEqual([['m', 'there', 'old', 'open']])
  other.closeQueuedEdit('m')
  expect(typed(other)).toEqual([['m', 'here', 'old', 'open']])
  other.closeQueuedEdit('m')
  expect(items.size).toBe(0)
})

test('the text is kept without locks', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new' })
  page.leave()
  page.end()
  const next = await openPage(() => Promise.reject(new DOMException('not here', 'SecurityError')))
  await vi.waitFor(() => expect(typed(next)).toEqual([['m', 'new', 'old', 'open']]), 60_000)
  expect([...items.values()].join()).toContain('new')
})

test('an editor opened before the earlier page has ended, without changes, is replaced by its text', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.openQueuedEdit('n', 't', 'old')
  page.changeQueuedEdit('m', { text: 'typed for long' })
  page.changeQueuedEdit('n', { text: 'typed before' })
  page.leave()
  const next = await openPage()
  for (const id of ['m', 'n']) next.openQueuedEdit(id, 't', 'old')
  next.changeQueuedEdit('n', { text: 'typed now' })
  page.end()
  next.look()
  await vi.waitFor(() =>
    expect(typed(next)).toEqual([
      ['m', 'typed for long', 'old', 'open'],
      ['n', 'typed now', 'old', 'open'],
    ]),
  )
})

test('a pending save is restored as such and not as an editor, also after an immediate crash', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new' })
  page.changeQueuedEdit('m', { state: 'saving' })
  page.end()
  const next = await openPage()
  await vi.waitFor(() => expect(typed(next)).toEqual([['m', 'new', 'old', 'unacknowledged']]), 60_000)
})

test('an editor opened during its save continues with the text', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new', state: 'saving' })
  page.openQueuedEdit('m', 't', 'old')
  expect(typed(page)).toEqual([['m', 'new', 'old', 'open']])
})

test('signing out deletes them, also before their owner is known', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'private')
  page.leave()
  const next = await openPage()
  next.deleteQueuedEdits()
  page.end()
  await vi.advanceTimersByTimeAsync(1000)
  expect([...items.keys(), ...typed(next)]).toEqual([])
})

test.each(['', '{', 'null', '{"pageId":""}', '{"pageId":"","id":"m","threadId":"t","editorId":"e","text":7}'])(
  '%j in storage opens nothing',
  async (stored) => {
    items.set(`${key}m.e`, stored)
    const page = await openPage()
    await vi.advanceTimersByTimeAsync(1000)
    expect(typed(page)).toEqual([])
  },
)
