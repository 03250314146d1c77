// Data of threads in a browser is deleted with the thread.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { draftOf, newThreadKey, setDraft } from '../../../../web/stores/drafts.ts'
import { forgetEverythingUnsent } from '../../../../web/stores/forget.ts'
import { forgetThread, keptThreads } from '../../../../web/stores/kept-threads.ts'
import { openQueuedEdit, queuedEdits } from '../../../../web/stores/queued-edits.ts'
import { chooseTurnMode } from '../../../../web/stores/turn-modes.ts'
import { stubLocalStorage } from './local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  vi.useFakeTimers()
  items = stubLocalStorage()
})
afterEach(() => {
  forgetEverythingUnsent()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('drafts, modes and open editors are deleted with their threads', () => {
  for (const key of ['one', newThreadKey]) setDraft(key, { text: 'half a thought' })
  chooseTurnMode('two', 'search')
  openQueuedEdit('queued-1', 'three', 'old')
  openQueuedEdit('queued-2', 'one', 'old')
  vi.advanceTimersByTime(1000)
  expect(keptThreads().toSorted()).toEqual(['one', 'three', 'two'])
  for (const threadId of ['one', 'two', 'three']) forgetThread(threadId)
  expect(keptThreads()).toEqual([])
  expect([...queuedEdits.get().keys(), draftOf('one').get().text]).toEqual([''])
  expect([...items.keys()]).toEqual([expect.stringMatching(/^parley:draft:new\./)])
})
