// An open overlay is a history entry: Back closes it, and closing it in another way removes the entry.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { backEntries } from '../../../../web/ui/lightbox.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A browser history; going back is asynchronous, as in browsers. */
function fakePage() {
  const entries: object[] = [{ __TSR_key: 'thread', __TSR_index: 3 }]
  let at = 0
  const listeners = new Set<() => void>()
  const go = (step: number) => {
    at += step
    for (const run of listeners) run()
  }
  return {
    entries,
    at: () => at,
    go,
    history: {
      get state() {
        return entries[at]
      },
      pushState: (state: object) => void entries.splice(++at, Number.POSITIVE_INFINITY, state),
      back: () => void setTimeout(() => go(-1)),
    },
    addEventListener: (_type: 'popstate', run: () => void) => void listeners.add(run),
    removeEventListener: (_type: 'popstate', run: () => void) => void listeners.delete(run),
    listeners,
  }
}

test('Back closes the overlay, and nothing else', () => {
  const page = fakePage()
  const closed = vi.fn()
  const close = backEntries(page)(() => {
    closed()
    close()
  })
  expect(page.entries).toEqual([page.entries[0], { __TSR_key: 'thread', __TSR_index: 3, parleyStep: expect.any(Number) }])
  page.go(-1)
  vi.runAllTimers()
  expect(closed).toHaveBeenCalledOnce()
  expect([page.at(), page.listeners.size]).toEqual([0, 0])
})

test('closing it in another way removes its entry', () => {
  const page = fakePage()
  const closed = vi.fn()
  backEntries(page)(closed)()
  vi.runAllTimers()
  expect(page.at()).toBe(0)
  expect(closed).not.toHaveBeenCalled()
})

test('the user stays on a page opened meanwhile', () => {
  const page = fakePage()
  const close = backEntries(page)(() => {})
  page.history.pushState({ __TSR_key: 'another thread' })
  close()
  vi.runAllTimers()
  expect(page.at()).toBe(2)
})

test('opened, closed and reopened in one task, it has one entry', () => {
  const page = fakePage()
  const open = backEntries(page)
  open(() => {})()
  const closed = vi.fn()
  open(closed)
  vi.runAllTimers()
  expect([page.entries.length, page.at()]).toEqual([2, 1])
  page.go(-1)
  expect(closed).toHaveBeenCalledOnce()
})
