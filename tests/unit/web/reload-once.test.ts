import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { reloadOnce } from '../../../web/lib/reload-once.ts'
import { urgencyOf } from '../../../web/sync/update.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function tab() {
  const kept = new Map<string, string>()
  const reload = vi.fn()
  const storage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => void kept.set(key, value) }
  return { reload, at: (nowMs: number) => reloadOnce({ storage, nowMs, reload }) }
}

test('a page that is too old reloads by itself, after a moment in which unsent writes become drafts', () => {
  const { reload, at } = tab()
  expect(at(1_000_000)).toBe(true)
  expect(reload).not.toHaveBeenCalled()
  vi.runAllTimers()
  expect(reload).toHaveBeenCalledTimes(1)
})

test('one that comes back as old as it was does not reload in a circle', () => {
  const { reload, at } = tab()
  at(1_000_000)
  expect(at(1_005_000)).toBe(false)
  expect(at(1_000_000 + 60_000)).toBe(true)
  vi.runAllTimers()
  expect(reload).toHaveBeenCalledTimes(2)
})

test('a clock that was set back does not keep it from reloading', () => {
  const { at } = tab()
  at(1_000_000)
  expect(at(500_000)).toBe(true)
})

test('only a page that cannot go on is reloaded without asking', () => {
  expect(urgencyOf('VersionNotSupported')).toBe('now')
  expect(urgencyOf('SchemaVersionNotSupported')).toBe('now')
  expect(urgencyOf('NewClientGroup')).toBe('whenever')
})
