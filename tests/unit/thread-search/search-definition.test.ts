// An index of another definition. Rules: worker/thread-search/SPEC.md, L5.
import { expect, test } from 'vitest'
import type { ChatMessage, MessagePart } from '../../../worker/contract/threads/messages.ts'
import { fingerprint } from '../../../worker/lib/digests.ts'
import { indexedText, wordsFormat } from '../../../worker/thread-search/index-tables.ts'
import { addMessage, catchUp, found, given } from './searched.ts'

/** This index finds nothing; an index that was built again finds the thread. */
function withPoorIndex() {
  const state = given()
  addMessage(state, 'tides', 'the Moon pulls the sea')
  expect(found(state, 'moon')).toEqual(['tides'])
  state.sql.run('delete from search_message')
  return state
}

test('[L5] an index of this definition is continued', () => {
  const state = withPoorIndex()
  expect(catchUp(state)).toBe(0)
  expect(found(state, 'moon')).toEqual([])
})

test('[L5] an index of another definition is built again', () => {
  const state = withPoorIndex()
  state.sql.run("update search_state set definition = 'another'")
  expect(found(state, 'moon')).toEqual(['tides'])
  expect(catchUp(state)).toBe(0)
})

test('[L5] a partly built index of another definition is built again', () => {
  const state = withPoorIndex()
  state.sql.run("update search_state set definition = 'another', readTo = 'tides-message'")
  expect(found(state, 'moon')).toEqual(['tides'])
})

test('[L5] `wordsFormat` changes with the indexed words and properties of these messages', () => {
  const texts = [
    'The **Moon** pulls the sea; see RFC-9110 and c++17',
    'Le café était fermé',
    '我们在海边看月亮',
    'x'.repeat(100),
    'a_b `c` [d](e) ①²',
  ]
  const partLists: readonly (readonly MessagePart[])[] = [
    ...texts.map((text) => [{ type: 'text', text } as const]),
    // The indexed parts, their order, and words that span two parts.
    [
      { type: 'step-start' },
      { type: 'reasoning', text: 'thought', state: 'done', durationMs: 900 },
      { type: 'text', text: 'said bef' },
      { type: 'tool-search', toolCallId: 'call', state: 'output-available', input: { query: 'asked' }, output: { text: 'answered' } },
      { type: 'file', mediaType: 'text/plain', url: '/files/1', filename: 'attached.txt' },
      { type: 'source-url', sourceId: 'source', url: 'https://example.com/page', title: 'cited' },
      { type: 'text', text: 'ore', state: 'done' },
    ],
    [{ type: 'text', text: '' }],
    [],
  ]
  const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'moonshot', ending: 'completed', credits: 1 } as const
  const messages: readonly ChatMessage[] = partLists.flatMap((parts) => [
    { id: 'm', role: 'user', parts },
    { id: 'm', role: 'assistant', parts, metadata },
  ])
  const words = messages.map(indexedText)
  expect([wordsFormat, fingerprint(JSON.stringify(words))]).toEqual([3, 'c8b76e6b46f24d92'])
})
