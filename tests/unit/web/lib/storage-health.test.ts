import { afterEach, expect, test, vi } from 'vitest'
import { storageNotice } from '../../../../web/features/chat/composer/notices.tsx'
import { stubLocalStorage } from '../local-storage.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.resetModules()
})

test.each([
  [true, true, null],
  [true, false, /^Drafts aren't saved/],
  [false, true, /^This browser doesn't store your threads/],
  [false, false, /^This browser doesn't store data/],
])('with rows stored: %s and texts stored: %s, the notice is %s', (storesRows, storesTexts, notice) => {
  const text = storageNotice({ storesRows, storesTexts })
  if (notice === null) expect(text).toBeNull()
  else expect(text).toMatch(notice)
})

test('a draft that cannot be stored is reported, retried and reported as stored', async () => {
  vi.useFakeTimers()
  const items = stubLocalStorage()
  const { setItem } = localStorage
  // A key ends with the id of its page.
  const storedKeys = () => [...items.keys()].flatMap((key) => /^parley:draft:(\w+)\./.exec(key)?.[1] ?? []).sort()
  const { draftOf, setDraft } = await import('../../../../web/features/chat/composer/drafts.ts')
  const { storageHealth } = await import('../../../../web/lib/storage-health.ts')
  localStorage.setItem = (key, value) => {
    if (value.includes('long')) throw new DOMException('full', 'QuotaExceededError')
    setItem(key, value)
  }
  setDraft('one', { text: 'a long text' })
  setDraft('two', { text: 'short' })
  vi.runAllTimers()
  expect(storageHealth.get().storesTexts).toBe(false)
  expect([draftOf('one').get().text, storedKeys()]).toEqual(['a long text', ['two']])

  localStorage.setItem = setItem
  setDraft('two', { text: 'shorter' })
  vi.runAllTimers()
  expect(storageHealth.get().storesTexts).toBe(true)
  expect(storedKeys()).toEqual(['one', 'two'])
})
