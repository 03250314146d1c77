// Filters of a search. Rules: worker/thread-search/SPEC.md, L1 and L2.
import { expect, test } from 'vitest'
import { searchRequestSchema } from '../../../worker/api/search-args.ts'
import type { ChatMessage } from '../../../worker/contract/threads/messages.ts'
import type { SearchFilter } from '../../../worker/contract/threads/search.ts'
import { findMessages } from '../../../worker/thread-search/find-messages.ts'
import { userId } from '../sync/replica.ts'
import { addMessage, catchUp, found, type Given, given, message, searchRequest, thread } from './searched.ts'

const file = { type: 'file', mediaType: 'image/png', url: '/files/1', filename: 'moon.png' } as const
const metadata = (modelId: string) =>
  ({ modelId, modelName: modelId, modelIcon: 'i', ending: 'completed', credits: 1 }) as const satisfies Extract<
    ChatMessage,
    { role: 'assistant' }
  >['metadata']

/** A thread with a question, with or without a file, and an answer of a model. */
function asked(state: Given, id: string, modelId: string, atMs: number, { withFile = false, text = 'the tide' } = {}): void {
  const parts = [...(withFile ? [file] : []), { type: 'text' as const, text: `asks about ${text}` }]
  message(state, `${id}-question`, id, null, '', { createdAt: atMs, message: { id: `${id}-question`, role: 'user', parts } })
  const answer = { id: `${id}-answer`, role: 'assistant', parts: [{ type: 'text', text: `answers ${text}` }], metadata: metadata(modelId) }
  message(state, `${id}-answer`, id, `${id}-question`, '', { createdAt: atMs + 1, message: answer })
  thread(state, id, `${id}-answer`)
}

function threads(): Given {
  const state = given()
  asked(state, 'kimi', 'kimi-k2', 1000)
  asked(state, 'gpt', 'gpt-5', 2000, { withFile: true })
  asked(state, 'later', 'gpt-5', 3000)
  return state
}

const hits = (state: Given, query: string, filter: SearchFilter) => {
  catchUp(state)
  return findMessages(state.sql, userId, searchRequest(query, [], filter)).found.map(({ messageId }) => messageId)
}

test.each<[string, SearchFilter, readonly string[]]>([
  ['no filter', {}, ['later-answer', 'gpt-answer', 'kimi-answer']],
  ['model', { modelId: 'gpt-5' }, ['later-answer', 'gpt-answer']],
  ['a model that answered nothing', { modelId: 'gpt' }, []],
  ['role', { role: 'user' }, ['later-question', 'gpt-question', 'kimi-question']],
  ['files', { hasFiles: true }, ['gpt-question']],
  ['role and files', { role: 'assistant', hasFiles: true }, []],
  ['since, inclusive', { sinceMs: 2001 }, ['later-answer', 'gpt-answer']],
  ['until, exclusive', { untilMs: 2001 }, ['gpt-question', 'kimi-answer']],
  ['all of them', { modelId: 'gpt-5', role: 'assistant', sinceMs: 1, untilMs: 3000 }, ['gpt-answer']],
])('[L1] filters by %s, with and without words', (_what, filter, expected) => {
  expect(hits(threads(), 'tide', filter)).toEqual(expected)
  // A request without words and filter is invalid.
  if (Object.keys(filter).length > 0) expect(hits(threads(), '', filter)).toEqual(expected)
})

test('[L1] filters by the project that a thread has now', () => {
  const state = threads()
  thread(state, 'gpt', 'gpt-answer', { projectId: 'tea' })
  expect(found(state, 'tide', userId, { projectId: 'tea' })).toEqual(['gpt'])
  thread(state, 'kimi', 'kimi-answer', { projectId: 'tea' })
  thread(state, 'gpt', 'gpt-answer', { projectId: null })
  expect(found(state, 'tide', userId, { projectId: 'tea' })).toEqual(['kimi'])
  expect(found(state, '', userId, { projectId: 'tea', modelId: 'gpt-5' })).toEqual([])
  expect(found(state, 'tide', 'somebody-else', { projectId: 'tea' })).toEqual([])
})

test('[L1] a title is found with the newest message that passes, below hits in texts, also of an archived thread', () => {
  const state = threads()
  asked(state, 'titled', 'kimi-k2', 9000, { text: 'something else' })
  thread(state, 'titled', 'titled-answer', { title: 'About the Tide' })
  expect(hits(state, 'tide', { modelId: 'kimi-k2' })).toEqual(['kimi-answer', 'titled-answer'])
  expect(hits(state, 'about tide', { modelId: 'gpt-5' })).toEqual([])
  expect(hits(state, 'about tide', { sinceMs: 8000 })).toEqual(['titled-answer'])
  const others = findMessages(state.sql, userId, searchRequest('about tide', ['titled'])).found
  expect(others.map(({ threadId }) => threadId)).toEqual(['later', 'gpt', 'kimi'])
  thread(state, 'titled', 'titled-answer', { title: 'About the Tide', archivedAt: 1 })
  expect(hits(state, 'about tide', {}).at(-1)).toBe('titled-answer')
})

test('[L1] a message without words is found by its file, and its excerpt is the name of the file', () => {
  const state = given()
  message(state, 'picture', 'album', null, '', { message: { id: 'picture', role: 'user', parts: [file] } })
  thread(state, 'album', 'picture')
  catchUp(state)
  expect(findMessages(state.sql, userId, searchRequest('', [], { hasFiles: true })).found).toEqual([
    { threadId: 'album', messageId: 'picture', title: 'Title of album', excerpt: 'moon.png' },
  ])
})

test('[L1] a rare hit behind many messages that do not pass is found within the bounds', () => {
  const state = given()
  asked(state, 'rare', 'gpt-5', 1, { withFile: true })
  thread(state, 'rare', 'rare-answer', { projectId: 'tea' })
  for (let i = 0; i < 6000; i++) addMessage(state, `common-${i}`, 'the tide', 1000 + i)
  for (const filter of [{ modelId: 'gpt-5' }, { hasFiles: true }, { projectId: 'tea' }, { untilMs: 500 }] as const)
    expect(found(state, 'tide', userId, filter)).toEqual(['rare'])
})

test('[L2] a changed message is found by its new properties only', () => {
  const state = threads()
  expect(found(state, 'tide', userId, { modelId: 'kimi-k2' })).toEqual(['kimi'])
  const answer = { id: 'kimi-answer', role: 'assistant', parts: [{ type: 'text', text: 'the tide' }], metadata: metadata('gpt-5') }
  message(state, 'kimi-answer', 'kimi', 'kimi-question', '', { createdAt: 1001, message: answer })
  expect(found(state, 'tide', userId, { modelId: 'kimi-k2' })).toEqual([])
  expect(found(state, 'tide', userId, { modelId: 'gpt-5' })).toContain('kimi')
})

test('a request needs words or a filter', () => {
  const isValid = (request: object) => searchRequestSchema.safeParse(request).success
  expect(isValid({ query: 'tide' })).toBe(true)
  expect(isValid({ query: '', filter: { hasFiles: true } })).toBe(true)
  for (const filter of [undefined, {}, { unknown: 1 }, { hasFiles: false }, { role: 'system' }, { sinceMs: -1 }, { modelId: '' }])
    expect(isValid({ query: ' ', filter })).toBe(false)
})
