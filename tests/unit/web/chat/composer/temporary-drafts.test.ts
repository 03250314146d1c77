import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { draftOf, moveDraft, setDraft, setInMemory } from '../../../../../web/features/chat/composer/drafts.ts'
import { draftStep } from '../../../../../web/features/chat/composer/text-tools/draft-step.ts'
import { deleteLocalUserData } from '../../../../../web/lib/local-user-data.ts'
import { newDraftKey } from '../../../../../worker/contract/threads/draft-key.ts'
import { stubLocalStorage } from '../../local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  vi.useFakeTimers()
  items = stubLocalStorage()
  // A draft of another test file may still wait to be written.
  deleteLocalUserData()
})
afterEach(() => {
  deleteLocalUserData()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const storedTexts = () => {
  vi.advanceTimersByTime(1000)
  return [...items.values()].map((stored) => JSON.parse(stored).text)
}
const [regular, temporary] = [newDraftKey(false), newDraftKey(true)]

test('the draft of a temporary thread is not stored', () => {
  setDraft(temporary, { text: 'secret' })
  setInMemory('thread-1', true)
  setDraft('thread-1', { text: 'also secret' })
  expect(storedTexts()).toEqual([])
  setInMemory('thread-1', false)
  setDraft('thread-1', { text: 'regular' })
  expect(storedTexts()).toEqual(['regular'])
})

test('a draft is stored while its chat is not temporary', () => {
  setDraft(regular, { text: 'a question' })
  expect(storedTexts()).toEqual(['a question'])
  moveDraft(regular, temporary)
  expect([draftOf(regular).get().text, draftOf(temporary).get().text]).toEqual(['', 'a question'])
  expect(storedTexts()).toEqual([])
  moveDraft(temporary, regular)
  expect([draftOf(regular).get().text, draftOf(temporary).get().text]).toEqual(['a question', ''])
  expect(storedTexts()).toEqual(['a question'])
})

test('a synced draft that became the text of a temporary thread ends on the server, even if the first write that ends it is lost', () => {
  const text = 'a secret'
  setDraft(regular, { text, synced: { revision: 'r1', text, pendingRevisions: [] } })
  moveDraft(regular, temporary)
  const local = draftOf(regular).get()
  expect(draftStep({ local, row: { revision: 'r1', text }, written: undefined, isFocused: false, isTyping: false })).toBe('save')
  expect(draftStep({ local, row: { revision: 'r2', text: '' }, written: undefined, isFocused: false, isTyping: false })).toBe(
    'acceptRevision',
  )
})
