import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLocalStorage } from '../../local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  items = stubLocalStorage()
})
afterEach(() => vi.unstubAllGlobals())

/** A page: a new module over the same storage. */
const openPage = async () => {
  vi.resetModules()
  return import('../../../../../web/features/chat/composer/next-turn.ts')
}

test('a thread keeps its mode over a reload, independent of other threads', async () => {
  const before = await openPage()
  before.chooseTurnMode('thread-one', 'research')
  const after = await openPage()
  expect(after.turnModeOf('thread-one').get()).toBe('research')
  expect(after.turnModeOf('thread-two').get()).toBe('chat')
  after.chooseTurnMode('thread-one', 'chat')
  expect(items.size).toBe(0)
})

test('a new thread keeps the mode of its first message, and the next one has the default', async () => {
  const { chooseTurnMode, setModeAfterSending, turnModeOf } = await openPage()
  chooseTurnMode('new', 'search')
  setModeAfterSending('new', 'thread-one')
  expect([turnModeOf('thread-one').get(), turnModeOf('new').get()]).toEqual(['search', 'chat'])
  const { turnModeOf: afterwards } = await openPage()
  expect([afterwards('thread-one').get(), afterwards('new').get()]).toEqual(['search', 'chat'])
})

test('a thread stays in Search, and returns to Chat after a research, also a new one', async () => {
  const { chooseTurnMode, setModeAfterSending, turnModeOf } = await openPage()
  chooseTurnMode('thread-one', 'search')
  setModeAfterSending('thread-one', 'thread-one')
  expect(turnModeOf('thread-one').get()).toBe('search')
  chooseTurnMode('thread-one', 'research')
  chooseTurnMode('new', 'research')
  setModeAfterSending('thread-one', 'thread-one')
  setModeAfterSending('new', 'thread-two')
  expect(['thread-one', 'new', 'thread-two'].map((key) => turnModeOf(key).get())).toEqual(['chat', 'chat', 'chat'])
  expect(items.size).toBe(0)
})

test('signing out deletes all of them; unreadable values count as chat', async () => {
  items.set('parley:mode:thread-old', 'magic')
  items.set('parley:draft:thread-one', '{}')
  const { chooseTurnMode, deleteNextTurns, turnModeOf } = await openPage()
  expect(turnModeOf('thread-old').get()).toBe('chat')
  chooseTurnMode('thread-one', 'search')
  deleteNextTurns()
  expect(turnModeOf('thread-one').get()).toBe('chat')
  expect([...items.keys()]).toEqual(['parley:draft:thread-one'])
})
