// What lies over the page is a step of the history, for as long as it lies there: Back takes it away, and so does whatever else closes it.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { historySteps } from '../../../web/lib/history-step.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A browser's history; going back is heard of later, as in one. */
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

test('Back closes it, and takes nothing else', () => {
  const page = fakePage()
  const closed = vi.fn()
  const close = historySteps(page)(() => {
    closed()
    close()
  })
  expect(page.entries).toEqual([page.entries[0], { __TSR_key: 'thread', __TSR_index: 3, parleyStep: expect.any(Number) }])
  page.go(-1)
  vi.runAllTimers()
  expect(closed).toHaveBeenCalledOnce()
  expect([page.at(), page.listeners.size]).toEqual([0, 0])
})

test('closed in another way, its step is taken back', () => {
  const page = fakePage()
  const closed = vi.fn()
  historySteps(page)(closed)()
  vi.runAllTimers()
  expect(page.at()).toBe(0)
  expect(closed).not.toHaveBeenCalled()
})

test('whoever has gone elsewhere meanwhile stays there', () => {
  const page = fakePage()
  const close = historySteps(page)(() => {})
  page.history.pushState({ __TSR_key: 'another thread' })
  close()
  vi.runAllTimers()
  expect(page.at()).toBe(2)
})

test('opened, closed and opened in one moment it is one step', () => {
  const page = fakePage()
  const open = historySteps(page)
  open(() => {})()
  const closed = vi.fn()
  open(closed)
  vi.runAllTimers()
  expect([page.entries.length, page.at()]).toEqual([2, 1])
  page.go(-1)
  expect(closed).toHaveBeenCalledOnce()
})
