// What was done and not confirmed: kept over a reload and over closing, left alone while its page is open, and then one other page's.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLocalStorage, stubWebStorage } from './local-storage.ts'
import { type Browser, openBrowser } from './pages.ts'

const load = () => import('../../../../web/stores/plan-changes.ts')

let items: Map<string, string>
let browser: Browser
beforeEach(() => {
  items = stubLocalStorage()
  browser = openBrowser()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const openPage = (refused?: () => Promise<never>) => browser.openPage(load, refused)
const step = { kind: 'step', threadId: 't', messageId: 'm', stepId: 's', text: 'new', was: 'old' } as const
const start = { kind: 'start', threadId: 't', messageId: 'm', answerId: 'a', modelId: 'x' } as const
type Page = Awaited<ReturnType<typeof openPage>>
const leftTo = ({ leftChanges }: Page) => [...leftChanges.get().values()]

test('what nobody has confirmed is left to the next page, also when that begins before the other is gone', async () => {
  const page = await openPage()
  page.keepChange(step)
  page.keepChange(start)
  expect(leftTo(page)).toEqual([])
  const next = await openPage()
  expect(leftTo(next)).toEqual([])
  page.end()
  next.look()
  expect(leftTo(next)).toEqual([step, start])
  next.end()
  expect(leftTo(await openPage())).toEqual([step, start])
})

const sortStorage = () => {
  const sorted = [...items].sort()
  items.clear()
  for (const [key, value] of sorted) items.set(key, value)
}

test('what a page did is left in its order, whatever order storage has', async () => {
  const page = await openPage()
  page.keepChange(step)
  page.keepChange(start)
  page.keepChange({ ...step, stepId: 'r' })
  page.end()
  sortStorage()
  const next = await openPage()
  expect(leftTo(next)).toEqual([step, start, { ...step, stepId: 'r' }])
  next.end()
  sortStorage()
  expect(leftTo(await openPage())).toEqual([step, start, { ...step, stepId: 'r' }])
})

test('of two pages one has it, and the other what that one leaves', async () => {
  const page = await openPage()
  page.keepChange(step)
  page.end()
  const first = await openPage()
  const second = await openPage()
  expect([leftTo(first), leftTo(second)]).toEqual([[step], []])
  first.end()
  second.look()
  expect(leftTo(second)).toEqual([step])
})

test('an open page adopts when it becomes visible after the other page was closed, and not before', async () => {
  const other = await openPage()
  const page = await openPage()
  page.keepChange(step)
  other.look()
  expect(leftTo(other)).toEqual([])
  page.end()
  other.look()
  expect(leftTo(other)).toEqual([step])
})

test('a page that releases its lock late is tried once more', async () => {
  vi.useFakeTimers()
  const other = await openPage()
  const page = await openPage()
  page.keepChange(step)
  other.look()
  page.end()
  expect(leftTo(other)).toEqual([])
  vi.advanceTimersByTime(3000)
  expect(leftTo(other)).toEqual([step])
})

test('the next page of the same tab adopts at once, before a page that asked earlier', async () => {
  stubWebStorage('sessionStorage')
  const page = await openPage()
  page.keepChange(step)
  const other = await openPage()
  page.leave()
  page.end()
  const next = await openPage()
  expect([leftTo(other), leftTo(next)]).toEqual([[], [step]])
})

test('what was confirmed is nowhere any more; what was left is looked after at once', async () => {
  const page = await openPage()
  page.keepChange(step)
  page.keepChange(start)
  page.forgetChange(step)
  page.leaveChange(start)
  expect(leftTo(page)).toEqual([start])
  page.forgetChange(start)
  expect([...items.keys(), ...leftTo(page)]).toEqual([])
})

test('of one step the last change counts, and what became of an earlier one forgets nothing', async () => {
  const first = await openPage()
  first.keepChange(step)
  first.end()
  const page = await openPage()
  const again = page.keepChange({ ...step, text: 'newer', was: 'new' })
  expect(page.forgetChange(step)).toBe(false)
  page.leaveChange(step)
  expect(leftTo(page)).toEqual([])
  page.end()
  const next = await openPage()
  expect(leftTo(next)).toEqual([again])
  expect(again).toMatchObject({ earlier: ['old', 'new'] })
  const gone = { kind: 'removal', threadId: 't', messageId: 'm', stepId: 's', was: 'newer' } as const
  expect(next.keepChange(gone)).toEqual({ ...gone, earlier: ['old', 'new', 'newer'] })
})

test('what became of a change forgets nothing of the same change in another page', async () => {
  const [page, other] = [await openPage(), await openPage()]
  const theirs = { ...step, text: 'theirs' }
  page.keepChange(step)
  other.keepChange(theirs)
  page.forgetChange(step)
  other.end()
  expect(leftTo(await openPage())).toEqual([theirs])
})

test('what a page that is gone did later is not forgotten with what was done here before', async () => {
  const [page, other] = [await openPage(), await openPage()]
  const own = page.keepChange(step)
  const theirs = { ...step, text: 'theirs' }
  other.keepChange(theirs)
  other.end()
  page.look()
  page.forgetChange(own)
  expect(leftTo(page)).toEqual([theirs])
  page.end()
  expect(leftTo(await openPage())).toEqual([theirs])
})

test('nothing of it is left on signing out', async () => {
  const first = await openPage()
  first.keepChange(step)
  first.end()
  const page = await openPage()
  page.keepChange(start)
  page.forgetChanges()
  expect([...items.keys(), ...leftTo(page)]).toEqual([])
})

test('where the browser gives no locks, whatever another page has kept is left', async () => {
  const page = await openPage()
  page.keepChange(step)
  const next = await openPage(() => Promise.reject(new DOMException('not here', 'SecurityError')))
  await vi.waitFor(() => expect(leftTo(next)).toEqual([step]))
})

test.each(['', '{', 'null', '7', '{}', '{"kind":"step","pageId":""}', '{"pageId":"","kind":"magic","threadId":"t","messageId":"m"}'])(
  '%j in storage is nothing, and hides nothing',
  async (stored) => {
    items.set('parley:plan-change:garbled', stored)
    const page = await openPage()
    page.keepChange(step)
    page.end()
    expect(leftTo(await openPage())).toEqual([step])
  },
)

test('without storage nothing is kept', async () => {
  vi.stubGlobal('localStorage', undefined)
  const page = await openPage()
  page.keepChange(step)
  page.leaveChange(step)
  expect(leftTo(page)).toEqual([step])
  page.end()
  expect(leftTo(await openPage())).toEqual([])
})
