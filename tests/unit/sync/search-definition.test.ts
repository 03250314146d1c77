// An index that another build has made. Rules: worker/sync/SPEC.md, L5.
import { expect, test } from 'vitest'
import { type MessagePart, textOf } from '../../../worker/contract/messages.ts'
import { fingerprint } from '../../../worker/lib/fingerprint.ts'
import { wordsFormat } from '../../../worker/sync/search/index-tables.ts'
import { indexedText } from '../../../worker/sync/search/tokens.ts'
import { catchUp, found, given, said } from './searched.ts'

/** Whoever has this index finds nothing by it: only one that was made anew does. */
function withPoorIndex() {
  const state = given()
  said(state, 'tides', 'the Moon pulls the sea')
  expect(found(state, 'moon')).toEqual(['tides'])
  state.sql.run('delete from search_message')
  return state
}

test('[L5] an index of this build is taken up where it stands', () => {
  const state = withPoorIndex()
  expect(catchUp(state)).toBe(0)
  expect(found(state, 'moon')).toEqual([])
})

test.each([
  ['of another definition', "update search_state set definition = 'another'"],
  ['of a release that did not say which', 'alter table search_state drop column definition'],
])('[L5] one %s is made anew', (_, change) => {
  const state = withPoorIndex()
  state.sql.run(change)
  expect(found(state, 'moon')).toEqual(['tides'])
  // Once, and no more.
  expect(catchUp(state)).toBe(0)
})

test('[L5] one that was half made by another build is begun again', () => {
  const state = withPoorIndex()
  state.sql.run("update search_state set definition = 'another', readTo = 'tides-message'")
  expect(found(state, 'moon')).toEqual(['tides'])
})

test('[L5] the words of a message are those of this format: raise `wordsFormat` when they change, and write both here', () => {
  const texts = [
    'The **Moon** pulls the sea; see RFC-9110 and c++17',
    'Le café était fermé',
    '我们在海边看月亮',
    'x'.repeat(100),
    'a_b `c` [d](e) ①²',
  ]
  const partLists: readonly (readonly MessagePart[])[] = [
    ...texts.map((text) => [{ type: 'text', text } as const]),
    // Of which parts, in which order, and whether a word may run from one into the next.
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
  const words = partLists.map((parts) => indexedText(textOf({ parts })))
  expect([wordsFormat, fingerprint(JSON.stringify(words))]).toEqual([1, 'f0baef24f1951198'])
})
