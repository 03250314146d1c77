// Data of threads in a browser is deleted with the thread.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { choose, draftOf, setDraft } from '../../../../../web/features/chat/composer/drafts.ts'
import { openQueuedEdit, queuedEdits } from '../../../../../web/features/chat/queue/queued-edits.ts'
import { deleteThreadData } from '../../../../../web/features/chat/thread/delete-local-thread-data.tsx'
import { threadsWithLocalData } from '../../../../../web/features/chat/thread/stored-threads.ts'
import { deleteLocalUserData } from '../../../../../web/lib/local-user-data.ts'
import { newDraftKey, newThreadKey } from '../../../../../worker/contract/draft-key.ts'
import { stubLocalStorage } from '../../local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  vi.useFakeTimers()
  items = stubLocalStorage()
})
afterEach(() => {
  deleteLocalUserData()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('drafts, choices for one message and open editors are deleted with their threads', () => {
  for (const key of ['one', newThreadKey]) setDraft(key, { text: 'half a thought' })
  for (const key of ['two', newDraftKey(true)]) choose(key, { mode: 'search' })
  for (const key of ['four', newThreadKey]) choose(key, { modelId: 'model-1' })
  openQueuedEdit('queued-1', 'three', 'old')
  openQueuedEdit('queued-2', 'one', 'old')
  vi.advanceTimersByTime(1000)
  expect(threadsWithLocalData().toSorted()).toEqual(['four', 'one', 'three', 'two'])
  for (const threadId of ['one', 'two', 'three', 'four']) deleteThreadData(threadId)
  expect(threadsWithLocalData()).toEqual([])
  expect([...queuedEdits.get().keys(), draftOf('one').get().text]).toEqual([''])
  expect(draftOf('four').get().choices.modelId).toBeNull()
  expect([...items.keys()]).toEqual([expect.stringMatching(/^parley:draft:new\./)])
})
