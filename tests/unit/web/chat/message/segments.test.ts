import { describe, expect, test } from 'vitest'
import { thoughtFor, toolSummary } from '../../../../../web/features/chat/message/answer-parts.tsx'
import { segmentsOf } from '../../../../../web/features/chat/message/segments.ts'

describe('the rendered parts of an answer', () => {
  test('steps are dropped, adjacent reasoning is joined with its durations', () => {
    expect(
      segmentsOf([
        { type: 'step-start' },
        { type: 'reasoning', text: 'one', state: 'done', durationMs: 1000 },
        { type: 'step-start' },
        { type: 'reasoning', text: 'two', state: 'done', durationMs: 500 },
        { type: 'text', text: 'answer', state: 'done' },
        { type: 'reasoning', text: 'three', state: 'streaming' },
      ]),
    ).toEqual([
      { kind: 'reasoning', key: 1, text: 'one\n\ntwo', isRunning: false, durationMs: 1500 },
      { kind: 'text', key: 4, text: 'answer' },
      { kind: 'reasoning', key: 5, text: 'three', isRunning: true, durationMs: null },
    ])
  })

  test('empty parts are not rendered, but reasoning shows from its start', () => {
    expect(segmentsOf([{ type: 'text', text: '', state: 'streaming' }])).toEqual([])
    expect(segmentsOf([{ type: 'reasoning', text: '', state: 'done' }])).toEqual([])
    expect(segmentsOf([{ type: 'reasoning', text: '', state: 'streaming' }])).toHaveLength(1)
  })

  test('hidden reasoning shows its duration', () => {
    expect(segmentsOf([{ type: 'reasoning', text: '', state: 'done', durationMs: 4200 }])).toEqual([
      { kind: 'reasoning', key: 0, text: '', isRunning: false, durationMs: 4200 },
    ])
    expect(segmentsOf([{ type: 'reasoning', text: '', state: 'done', durationMs: 3 }])).toEqual([])
  })

  test('a segment keeps its key while it grows', () => {
    const before = segmentsOf([{ type: 'step-start' }, { type: 'text', text: 'a', state: 'streaming' }])
    const after = segmentsOf([{ type: 'step-start' }, { type: 'text', text: 'ab', state: 'done' }])
    expect(after.map(({ key }) => key)).toEqual(before.map(({ key }) => key))
  })
})

test('a search that waits or was denied is no work of the web', () => {
  const search = { type: 'tool-search', toolCallId: 'c', input: {} } as const
  const kinds = (['approval-requested', 'approval-responded', 'output-denied', 'output-available'] as const).map(
    (state) => segmentsOf([{ ...search, state }])[0]?.kind,
  )
  expect(kinds).toEqual(['tool', 'tool', 'tool', 'web'])
})

test.each([
  [null, 'Thought'],
  [200, 'Thought for 1 s'],
  [3400, 'Thought for 3 s'],
  [59_400, 'Thought for 59 s'],
  [59_600, 'Thought for 1 min 0 s'],
  [125_000, 'Thought for 2 min 5 s'],
])('%j ms: %s', (durationMs, words) => expect(thoughtFor(durationMs)).toBe(words))

test.each([
  ['tool-readSite', 'input-available', 'Using read site…'],
  ['tool-web_search', 'output-available', 'Used web search'],
  ['tool-search', 'output-error', 'Could not use search'],
  ['tool-save_note', 'approval-requested', '“save note” waits for your approval'],
  ['tool-save_note', 'approval-responded', 'Using save note…'],
  ['tool-save_note', 'output-denied', 'save note was not allowed'],
] as const)('%s %s: %s', (type, state, words) => expect(toolSummary({ type, state })).toBe(words))

test.each(['unfinished', 'maybe_done'] as const)('a call that ended with its answer was interrupted: %s', (errorCode) => {
  expect(toolSummary({ type: 'tool-sea_echo', title: 'Echo', state: 'output-error', errorCode })).toBe('Echo was interrupted')
})

test('a tool of a server that reports a failure is not shown as used', () => {
  const output = { content: [], isError: true }
  expect(toolSummary({ type: 'tool-sea_echo', title: 'Echo', state: 'output-available', output })).toBe('Echo reported a failure')
})
