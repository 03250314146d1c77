// Editors of queued messages: what is typed outlives its page, however that ends, and belongs to one page alone.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLocalStorage } from './local-storage.ts'
import { type Browser, openBrowser } from './pages.ts'

const load = () => import('../../../../web/stores/queued-edits.ts')
type Editors = Awaited<ReturnType<typeof load>>

const key = 'parley:queued-edit:'
/** What the browser keeps. */
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

test('what was typed is there again after a crash, in the same editor', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'n' })
  page.changeQueuedEdit('m', { text: 'new' })
  vi.advanceTimersByTime(1000)
  page.end()
  const next = await openPage()
  await vi.waitFor(() => expect(typed(next)).toEqual([['m', 'new', 'old', 'open']]))
  expect(editorOf(next)).toBe(editorOf(page))
  expect([page, next, await openPage()].map(({ isOwnEditor }) => isOwnEditor(editorOf(page)))).toEqual([true, true, false])
})

test('a reload loses no word of it, though its page is still there when the next one begins', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new' })
  page.leave()
  const next = await openPage()
  expect(typed(next)).toEqual([])
  // Nor does one that is gone before it knows whose they are.
  next.leave()
  next.end()
  const last = await openPage()
  page.end()
  last.look()
  await vi.waitFor(() => expect(typed(last)).toEqual([['m', 'new', 'old', 'open']]))
})

test('nothing is left of an editor that was closed, also for a page that had it from an earlier one', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.leave()
  page.end()
  const next = await openPage()
  await vi.waitFor(() => expect(typed(next)).toHaveLength(1))
  next.closeQueuedEdit('m')
  expect(items.size).toBe(0)
})

test('two pages may have one message open, and neither has what is typed in the other before that is gone', async () => {
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

test('what was typed is kept where the browser gives no locks', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new' })
  page.leave()
  page.end()
  const next = await openPage(() => Promise.reject(new DOMException('not here', 'SecurityError')))
  await vi.waitFor(() => expect(typed(next)).toEqual([['m', 'new', 'old', 'open']]))
  expect([...items.values()].join()).toContain('new')
})

test('what is opened before the earlier page is known to be gone, and not typed in, gives way to what was typed', async () => {
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

test('one that was being saved comes back as that, and not as an editor; also after a crash right then', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new' })
  page.changeQueuedEdit('m', { state: 'saving' })
  page.end()
  const next = await openPage()
  await vi.waitFor(() => expect(typed(next)).toEqual([['m', 'new', 'old', 'unheard']]))
})

test('what is opened while it is being saved goes on with what was typed', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new', state: 'saving' })
  page.openQueuedEdit('m', 't', 'old')
  expect(typed(page)).toEqual([['m', 'new', 'old', 'open']])
})

test('they are forgotten on signing out, also when it is not known yet whose they are', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'private')
  page.leave()
  const next = await openPage()
  next.forgetQueuedEdits()
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
