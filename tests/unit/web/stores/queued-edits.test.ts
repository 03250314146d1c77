// Editors of queued messages: what is typed outlives its page, however that ends, and belongs to one page alone.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubWebStorage } from './local-storage.ts'

type Editors = typeof import('../../../../web/stores/queued-edits.ts')

const key = 'parley:queued-edits'
/** What the tab keeps. */
let items: Map<string, string>
/** Which locks of the browser are held, and who waits for each. */
let locks: Map<string, (() => void)[]>

beforeEach(() => {
  vi.useFakeTimers()
  items = stubWebStorage('sessionStorage')
  locks = new Map()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

type Page = Editors & { readonly leave: () => void; readonly end: () => void }

/** A page: the module anew, over the same tab. `end`: as a crash ends one. */
async function openPage(refused?: () => Promise<never>): Promise<Page> {
  vi.resetModules()
  const page = new EventTarget()
  const own: string[] = []
  const waits = new Set<() => void>()
  let isGone = false
  const request = (name: string, { signal }: { readonly signal: AbortSignal }, hold: () => unknown) =>
    new Promise<void>((_, reject) => {
      const take = () => {
        locks.set(name, [])
        own.push(name)
        hold()
      }
      signal.addEventListener('abort', () => isGone || reject(signal.reason))
      const waiting = locks.get(name)
      if (!waiting) return take()
      waiting.push(take)
      waits.add(take)
    })
  vi.stubGlobal('navigator', { locks: { request: refused ?? request } })
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  const editors = await import('../../../../web/stores/queued-edits.ts')
  const end = () => {
    isGone = true
    for (const [name, waiting] of locks)
      locks.set(
        name,
        waiting.filter((take) => !waits.has(take)),
      )
    for (const name of own.splice(0)) {
      const [next] = locks.get(name) ?? []
      locks.delete(name)
      next?.()
    }
  }
  return { ...editors, leave: () => void page.dispatchEvent(new Event('pagehide')), end }
}
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
  expect(next.editorId()).toBe(page.editorId())
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

test('a tab that is duplicated has no editor of the other one, and keeps none', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.leave()
  const kept = items.get(key)
  const copy = await openPage()
  // The browser's own clock decides when the other page has had its time.
  await vi.waitFor(() => expect(items.size).toBe(0), 30_000)
  expect(typed(copy)).toEqual([])
  expect(copy.editorId()).not.toBe(page.editorId())
  expect(kept).toContain(page.editorId())
  copy.openQueuedEdit('n', 't', 'other')
  expect([...locks.keys()]).toEqual([page, copy].map(({ editorId }) => `parley:editor:${editorId()}`))
})

test('what was typed is kept where the browser gives no locks', async () => {
  const page = await openPage()
  page.openQueuedEdit('m', 't', 'old')
  page.changeQueuedEdit('m', { text: 'new' })
  page.leave()
  page.end()
  const next = await openPage(() => Promise.reject(new DOMException('not here', 'SecurityError')))
  await vi.waitFor(() => expect(typed(next)).toEqual([['m', 'new', 'old', 'open']]))
  expect(items.get(key)).toContain('new')
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

test.each(['', '{', 'null', '{"editorId":7,"edits":[]}', '{"editorId":"e","edits":[7,["m",null],["m",{"text":7}]]}'])(
  '%j in storage opens nothing',
  async (stored) => {
    items.set(key, stored)
    const page = await openPage()
    await vi.advanceTimersByTimeAsync(1000)
    expect(typed(page)).toEqual([])
  },
)

test('what an older version kept is an open editor', async () => {
  items.set(key, JSON.stringify({ editorId: 'e', edits: [['m', { threadId: 't', text: 'new', was: 'old' }]] }))
  const page = await openPage()
  await vi.waitFor(() => expect(typed(page)).toEqual([['m', 'new', 'old', 'open']]))
})
