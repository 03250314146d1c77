// Unconfirmed operations: stored across reloads and closing, untouched while their page is open, then adopted by one other page.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLocalStorage, stubWebStorage } from '../local-storage.ts'
import { type Browser, openBrowser } from '../pages.ts'

type Operation = { readonly name: string; readonly text: string }

async function load() {
  const { createPendingOperations } = await import('../../../../web/lib/pending-operations.ts')
  const isText = (value: unknown) => typeof value === 'string'
  return createPendingOperations<Operation>('parley:test:', (value) => {
    const { name, text } = value as { readonly [field in keyof Operation]?: unknown }
    return isText(name) && isText(text) ? (value as Operation) : null
  })
}

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
const step = { name: 'step', text: 'new' }
const start = { name: 'start', text: '' }
type Page = Awaited<ReturnType<typeof openPage>>
const leftTo = ({ orphaned }: Page) => [...orphaned.get().values()]

test('unconfirmed operations pass to the next page, also if it starts before the other has ended', async () => {
  const page = await openPage()
  page.add('step', step)
  page.add('start', start)
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

test('operations of a page are adopted in their order, in any order of the storage', async () => {
  const other = { name: 'other', text: 'new' }
  const page = await openPage()
  page.add('step', step)
  page.add('start', start)
  page.add('other', other)
  page.end()
  sortStorage()
  const next = await openPage()
  expect(leftTo(next)).toEqual([step, start, other])
  next.end()
  sortStorage()
  expect(leftTo(await openPage())).toEqual([step, start, other])
})

test('of two pages one adopts, and the other adopts what the first leaves', async () => {
  const page = await openPage()
  page.add('step', step)
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
  page.add('step', step)
  other.look()
  expect(leftTo(other)).toEqual([])
  page.end()
  other.look()
  expect(leftTo(other)).toEqual([step])
})

test('a page that releases its lock late is retried once', async () => {
  vi.useFakeTimers()
  const other = await openPage()
  const page = await openPage()
  page.add('step', step)
  other.look()
  page.end()
  expect(leftTo(other)).toEqual([])
  vi.advanceTimersByTime(3000)
  expect(leftTo(other)).toEqual([step])
})

test('the next page of the same tab adopts at once, before a page that asked earlier', async () => {
  stubWebStorage('sessionStorage')
  const page = await openPage()
  page.add('step', step)
  const other = await openPage()
  page.leave()
  page.end()
  const next = await openPage()
  expect([leftTo(other), leftTo(next)]).toEqual([[], [step]])
})

test('a confirmed operation is deleted; an abandoned one becomes an orphan at once', async () => {
  const page = await openPage()
  page.add('step', step)
  page.add('start', start)
  page.resolve('step', step)
  page.abandon('start', start)
  expect(leftTo(page)).toEqual([start])
  page.resolve('start', start)
  expect([...items.keys(), ...leftTo(page)]).toEqual([])
})

test('the last operation of an id counts, and the outcome of an earlier one does not delete it', async () => {
  const first = await openPage()
  first.add('step', step)
  first.end()
  const page = await openPage()
  const again = { ...step, text: 'newer' }
  page.add('step', again)
  expect(page.resolve('step', step)).toBe(false)
  page.abandon('step', step)
  expect(leftTo(page)).toEqual([])
  page.end()
  expect(leftTo(await openPage())).toEqual([again])
})

test('the outcome of a change does not delete the same change of another page', async () => {
  const [page, other] = [await openPage(), await openPage()]
  const otherStep = { ...step, text: 'theirs' }
  page.add('step', step)
  other.add('step', otherStep)
  page.resolve('step', step)
  other.end()
  expect(leftTo(await openPage())).toEqual([otherStep])
})

test('a later change of a closed page is not deleted with an earlier one of this page', async () => {
  const [page, other] = [await openPage(), await openPage()]
  page.add('step', step)
  const otherStep = { ...step, text: 'theirs' }
  other.add('step', otherStep)
  other.end()
  page.look()
  page.resolve('step', step)
  expect(leftTo(page)).toEqual([otherStep])
  page.end()
  expect(leftTo(await openPage())).toEqual([otherStep])
})

test('signing out deletes all of them', async () => {
  const first = await openPage()
  first.add('step', step)
  first.end()
  const page = await openPage()
  page.add('start', start)
  page.clear()
  expect([...items.keys(), ...leftTo(page)]).toEqual([])
})

test('without locks, operations of other pages are adopted', async () => {
  const page = await openPage()
  page.add('step', step)
  const next = await openPage(() => Promise.reject(new DOMException('not here', 'SecurityError')))
  await vi.waitFor(() => expect(leftTo(next)).toEqual([step]), 60_000)
})

test.each(['', '{', 'null', '7', '{}', '{"name":"step","pageId":""}', '{"name":"step","text":"new"}'])(
  '%j in storage is ignored, and hides nothing',
  async (stored) => {
    items.set('parley:test:garbled', stored)
    const page = await openPage()
    page.add('step', step)
    page.end()
    expect(leftTo(await openPage())).toEqual([step])
  },
)

test('without storage nothing is stored', async () => {
  vi.stubGlobal('localStorage', undefined)
  const page = await openPage()
  page.add('step', step)
  page.abandon('step', step)
  expect(leftTo(page)).toEqual([step])
  page.end()
  expect(leftTo(await openPage())).toEqual([])
})
