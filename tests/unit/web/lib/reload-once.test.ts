import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadOnce } from '../../../../web/lib/reload-once.ts'
import { urgencyOf } from '../../../../web/sync/update.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function tab() {
  const kept = new Map<string, string>()
  const reload = vi.fn()
  const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) }
  return { reload, at: (nowMs: number) => reloadOnce({ storage: () => storage, nowMs, reload }) }
}

test('an outdated page reloads automatically, after a moment to store unsent writes as drafts', () => {
  const { reload, at } = tab()
  expect(at(1_000_000)).toBe(true)
  expect(reload).not.toHaveBeenCalled()
  vi.runAllTimers()
  expect(reload).toHaveBeenCalledTimes(1)
})

test('a page that is still outdated after the reload does not reload in a loop', () => {
  const { reload, at } = tab()
  at(1_000_000)
  expect(at(1_005_000)).toBe(false)
  expect(at(1_000_000 + 60_000)).toBe(true)
  vi.runAllTimers()
  expect(reload).toHaveBeenCalledTimes(2)
})

test('a page that cannot store its reload leaves it to the user', () => {
  const reload = vi.fn()
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  }
  const blocked = () => {
    throw new DOMException('blocked', 'SecurityError')
  }
  expect(reloadOnce({ storage: () => full, nowMs: 1_000_000, reload })).toBe(false)
  expect(reloadOnce({ storage: blocked, nowMs: 1_000_000, reload })).toBe(false)
  vi.runAllTimers()
  expect(reload).not.toHaveBeenCalled()
})

test('a clock that was set back does not prevent the reload', () => {
  const { at } = tab()
  at(1_000_000)
  expect(at(500_000)).toBe(true)
})

test('only an unusable page reloads without asking', () => {
  expect(urgencyOf('VersionNotSupported')).toBe('now')
  expect(urgencyOf('SchemaVersionNotSupported')).toBe('now')
  expect(urgencyOf('NewClientGroup')).toBe('whenever')
})
