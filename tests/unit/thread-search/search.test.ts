// Results of a search, and updates of the index. Rules: worker/thread-search/SPEC.md, L1 to L3.
import { expect, test } from 'vitest'
import { maxFoundThreads } from '../../../worker/contract/limits.ts'
import { findMessages } from '../../../worker/thread-search/find-messages.ts'
import { indexNextSlice } from '../../../worker/thread-search/index-tables.ts'
import { searchMessages } from '../../../worker/thread-search/search.ts'
import { userId } from '../sync/replica.ts'
import { addMessage, catchUp, found, given, message, searchRequest, thread, write } from './searched.ts'

test('[L1] finds messages with every word, in any order and spelling', () => {
  const state = given()
  addMessage(state, 'tides', 'The **Moon** pulls the sea; see RFC-9110 and c++17')
  addMessage(state, 'chinese', '我们在海边看月亮')
  addMessage(state, 'french', 'Le café était fermé')
  expect(found(state, 'moon')).toEqual(['tides'])
  expect(found(state, 'MO pul sea')).toEqual(['tides'])
  expect(found(state, 'moon pulls cheese')).toEqual([])
  expect(found(state, 'rfc-9110')).toEqual(['tides'])
  expect(found(state, '9110 c++')).toEqual(['tides'])
  expect(found(state, '月亮')).toEqual(['chinese'])
  expect(found(state, 'café fer')).toEqual(['french'])
  // Requests without a word, and texts that the index would read as its query syntax.
  expect(found(state, '***')).toEqual([])
  expect(found(state, '"moon" AND sea')).toEqual([])
  expect(found(state, 'words:moon')).toEqual([])
  expect(found(state, `moon ${'x'.repeat(190)}`)).toEqual([])
})

test('[L2] the words of a temporary thread never enter the index', () => {
  const state = given()
  // The thread arrives before or after its message, and the message changes later.
  thread(state, 'before', 'before-message', { expiresAt: 9000 })
  addMessage(state, 'kept', 'a secret')
  message(state, 'before-message', 'before', null, 'a secret')
  message(state, 'after-message', 'after', null, 'a secret')
  thread(state, 'after', 'after-message', { expiresAt: 9000 })
  catchUp(state)
  message(state, 'before-message', 'before', null, 'a changed secret')
  message(state, 'later-message', 'before', 'before-message', 'one more secret')
  catchUp(state)
  expect(state.sql.all('select threadId from search_message')).toEqual([{ threadId: 'kept' }])
})

test('[L1] returns the newest message of each thread, whole words first, up to the limit', () => {
  const state = given()
  addMessage(state, 'old', 'a tide', 1000)
  addMessage(state, 'begun', 'many tides', 5000)
  addMessage(state, 'new', 'the tide', 3000)
  message(state, 'later', 'new', 'new-message', 'one more tide', { createdAt: 4000 })
  thread(state, 'new', 'later')
  catchUp(state)
  expect(findMessages(state.sql, userId, searchRequest('tide'))).toEqual({
    found: [
      { threadId: 'new', messageId: 'later', title: 'Title of new', excerpt: 'one more tide' },
      { threadId: 'old', messageId: 'old-message', title: 'Title of old', excerpt: 'a tide' },
      { threadId: 'begun', messageId: 'begun-message', title: 'Title of begun', excerpt: 'many tides' },
    ],
    isCut: false,
  })
  for (let i = 0; i < maxFoundThreads + 5; i++) addMessage(state, `common-${i}`, 'a wave', i * 1000)
  expect(found(state, 'wave')).toEqual(Array.from({ length: maxFoundThreads }, (_, i) => `common-${maxFoundThreads + 4 - i}`))
})

test('[L1] does not find other branches, deleted messages and messages above them', () => {
  const state = given()
  addMessage(state, 'thread', 'first words')
  message(state, 'other', 'thread', 'thread-message', 'another branch')
  message(state, 'answer', 'thread', 'thread-message', 'the branch on show')
  thread(state, 'thread', 'answer')
  expect([found(state, 'branch'), found(state, 'another')]).toEqual([['thread'], []])
  thread(state, 'thread', 'other')
  expect(found(state, 'another')).toEqual(['thread'])
  message(state, 'other', 'thread', 'thread-message', 'another branch', { deletedAt: 5 })
  expect([found(state, 'another'), found(state, 'first')]).toEqual([[], []])
  message(state, 'other', 'thread', 'thread-message', 'another branch')
  expect(found(state, 'another first')).toEqual([])
  expect(found(state, 'first')).toEqual(['thread'])
  thread(state, 'thread', 'other', { deletedAt: 5 })
  expect(found(state, 'first')).toEqual([])
})

test('[L1] does not find rows for another user', () => {
  const state = given()
  addMessage(state, 'secret', 'the secret word')
  expect(found(state, 'secret')).toEqual(['secret'])
  expect(found(state, 'secret', 'somebody-else')).toEqual([])
})

test('[L2] builds the index at the first search and updates it for changed and removed messages', () => {
  const state = given()
  const hasIndex = () => state.sql.all("select 1 from sqlite_master where name = 'search_text'").length > 0
  addMessage(state, 'thread', 'before')
  expect(hasIndex()).toBe(false)
  expect(found(state, 'before')).toEqual(['thread'])
  expect(catchUp(state)).toBe(0)
  message(state, 'thread-message', 'thread', null, 'afterwards')
  expect([found(state, 'before'), found(state, 'afterwards')]).toEqual([[], ['thread']])
  write(state, 'message', 'thread-message', null)
  expect(found(state, 'afterwards')).toEqual([])
  expect(state.sql.all('select * from search_message')).toEqual([])
  expect(state.sql.all('select count(*) n from search_text_docsize')).toEqual([{ n: 0 }])
})

test('[L2] indexes a long history in slices without missing changes', () => {
  const state = given()
  for (let i = 0; i < 450; i++) addMessage(state, `thread-${i}`, `number ${i} of many`, i)
  expect(indexNextSlice(state)).toBe(true)
  message(state, 'thread-0-message', 'thread-0', null, 'changed meanwhile')
  expect(found(state, 'changed')).toEqual(['thread-0'])
  expect(found(state, 'number 449')).toEqual(['thread-449'])
  const long = given()
  for (let i = 0; i < 4; i++) addMessage(long, `long-${i}`, 'words '.repeat(50_000))
  expect(catchUp(long)).toBeGreaterThanOrEqual(4)
  expect(found(long, 'words')).toHaveLength(4)
})

test('[L2] builds the index again below the floor and after a wipe', () => {
  const state = given()
  addMessage(state, 'thread', 'before')
  expect(found(state, 'before')).toEqual(['thread'])
  message(state, 'thread-message', 'thread', null, 'afterwards')
  state.engine.prune(state.engine.version)
  expect([found(state, 'before'), found(state, 'afterwards')]).toEqual([[], ['thread']])
  state.engine.wipe(1)
  expect(found(state, 'afterwards')).toEqual([])
  addMessage(state, 'again', 'a new life')
  expect(found(state, 'life')).toEqual(['again'])
})

test('[L2] numbers messages of one moment and accepts any date', () => {
  const state = given()
  for (let i = 0; i < 30; i++) addMessage(state, `same-${i}`, 'at once', 7)
  for (const [i, at] of [-5, 0.5, 1e300].entries()) addMessage(state, `strange-${i}`, 'odd', at)
  message(state, 'dateless', 'strange-0', null, 'odd too', { createdAt: null })
  catchUp(state)
  expect(state.sql.all('select count(distinct docid) n from search_message')).toEqual([{ n: 34 }])
  expect(found(state, 'odd')).toHaveLength(3)
})

test('[L3] marks results of an incomplete replica; an emptied object writes nothing', async () => {
  const state = given()
  addMessage(state, 'thread', 'the words')
  const now = async (step: () => boolean) => step()
  const excerpt = { threadId: 'thread', messageId: 'thread-message', title: 'Title of thread', excerpt: 'the words' }
  const answer = { found: [excerpt], isCut: false }
  expect(await searchMessages({ state, userId, isImporting: true }, searchRequest('words'), now)).toEqual({ ...answer, isComplete: false })
  expect(await searchMessages({ state, userId, isImporting: false }, searchRequest('words'), now)).toEqual({ ...answer, isComplete: true })
  const emptied = given()
  expect(await searchMessages({ state: emptied, userId, isImporting: false }, searchRequest('words'), async () => false)).toBeNull()
  expect(emptied.sql.all("select 1 from sqlite_master where name like 'search%'")).toEqual([])
})
