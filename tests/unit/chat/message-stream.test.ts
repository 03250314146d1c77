import { describe, expect, test } from 'vitest'
import { applyChunk, type StreamChunk, sealParts } from '../../../worker/contract/threads/message-stream.ts'
import type { MessagePart } from '../../../worker/contract/threads/messages.ts'
import { createRng } from '../../support/rng.ts'

const reduce = (chunks: readonly StreamChunk[], from: readonly MessagePart[] = []) =>
  chunks.reduce<readonly MessagePart[]>(applyChunk, from)

const call: StreamChunk = { type: 'tool-input-available', toolCallId: 'c', toolName: 'search', input: { q: 'x' } }

describe('applyChunk', () => {
  const cases: { name: string; chunks: readonly StreamChunk[]; parts: readonly MessagePart[] }[] = [
    { name: 'nothing', chunks: [{ type: 'start', messageId: 'm' }], parts: [] },
    {
      name: 'text, open while it is written',
      chunks: [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'He' },
        { type: 'text-delta', id: '1', delta: 'y' },
      ],
      parts: [{ type: 'text', text: 'Hey', state: 'streaming' }],
    },
    {
      name: 'reasoning with its duration, then text',
      chunks: [
        { type: 'start-step' },
        { type: 'reasoning-start', id: '1' },
        { type: 'reasoning-delta', id: '1', delta: 'hm' },
        { type: 'reasoning-end', id: '1', durationMs: 12 },
        { type: 'text-start', id: '2' },
        { type: 'text-delta', id: '2', delta: 'Yes' },
        { type: 'text-end', id: '2' },
        { type: 'finish-step' },
        { type: 'finish' },
      ],
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'hm', state: 'done', durationMs: 12 },
        { type: 'text', text: 'Yes', state: 'done' },
      ],
    },
    {
      name: 'text that goes on after reasoning came between',
      chunks: [
        { type: 'text-delta', id: '1', delta: 'a' },
        { type: 'reasoning-start', id: '2' },
        { type: 'reasoning-delta', id: '2', delta: 'r' },
        { type: 'text-delta', id: '1', delta: 'b' },
      ],
      parts: [
        { type: 'text', text: 'ab', state: 'streaming' },
        { type: 'reasoning', text: 'r', state: 'streaming' },
      ],
    },
    {
      name: 'a second text closes the first',
      chunks: [
        { type: 'text-delta', id: '1', delta: 'a' },
        { type: 'text-start', id: '2' },
      ],
      parts: [
        { type: 'text', text: 'a', state: 'done' },
        { type: 'text', text: '', state: 'streaming' },
      ],
    },
    {
      name: 'a tool call from its name to its result',
      chunks: [
        { type: 'tool-input-start', toolCallId: 'c', toolName: 'search' },
        call,
        { type: 'tool-output-available', toolCallId: 'c', output: [1] },
      ],
      parts: [{ type: 'tool-search', toolCallId: 'c', state: 'output-available', input: { q: 'x' }, output: [1] }],
    },
    {
      name: 'a tool that failed',
      chunks: [call, { type: 'tool-output-error', toolCallId: 'c', errorCode: 'search_busy', errorText: 'no' }],
      parts: [
        { type: 'tool-search', toolCallId: 'c', state: 'output-error', input: { q: 'x' }, errorCode: 'search_busy', errorText: 'no' },
      ],
    },
    {
      name: 'a repeated tool call, and a result without a call',
      chunks: [
        call,
        { type: 'tool-output-available', toolCallId: 'c', output: 1 },
        call,
        { type: 'tool-output-available', toolCallId: 'other', output: 2 },
      ],
      parts: [{ type: 'tool-search', toolCallId: 'c', state: 'output-available', input: { q: 'x' }, output: 1 }],
    },
    {
      name: 'sources and files',
      chunks: [
        { type: 'source-url', sourceId: 's', url: 'https://a.test', title: 'A' },
        { type: 'file', url: 'data:,x', mediaType: 'text/plain' },
      ],
      parts: [
        { type: 'source-url', sourceId: 's', url: 'https://a.test', title: 'A' },
        { type: 'file', url: 'data:,x', mediaType: 'text/plain' },
      ],
    },
    {
      name: 'text that turns out to be reasoning, and reasoning that turns out to be text',
      chunks: [
        { type: 'text-delta', id: '1', delta: 'hm\n' },
        { type: 'text-end', id: '1', reasoningMs: 7 },
        { type: 'reasoning-delta', id: '2', delta: 'Yes' },
        { type: 'reasoning-end', id: '2', durationMs: 8, textStart: '<think>' },
      ],
      parts: [
        { type: 'reasoning', text: 'hm', state: 'done', durationMs: 7 },
        { type: 'text', text: '<think>Yes', state: 'done' },
      ],
    },
    {
      name: 'the end closes what is open',
      chunks: [call, { type: 'text-delta', id: '1', delta: 'a' }, { type: 'finish' }],
      parts: [
        {
          type: 'tool-search',
          toolCallId: 'c',
          state: 'output-error',
          input: { q: 'x' },
          errorCode: 'unfinished',
          errorText: 'The answer ended before this was done.',
        },
        { type: 'text', text: 'a', state: 'done' },
      ],
    },
  ]
  describe('a call that needs approval', () => {
    const asked: StreamChunk = { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'c' }
    const allowed: StreamChunk = { type: 'tool-approval-response', approvalId: 'a', toolCallId: 'c', approved: true, isChanged: true }
    const output: StreamChunk = { type: 'tool-output-available', toolCallId: 'c', output: 1 }
    const denied: StreamChunk = { type: 'tool-output-denied', toolCallId: 'c' }
    const finish: StreamChunk = { type: 'finish' }
    test.each<[string, readonly StreamChunk[], object]>([
      ['waits', [call, asked], { state: 'approval-requested', approval: { id: 'a' } }],
      ['still waits when the answer ends', [call, asked, finish], { state: 'approval-requested' }],
      [
        'keeps the decision with its result',
        [call, asked, allowed, output],
        { state: 'output-available', approval: { id: 'a', approved: true, isChanged: true } },
      ],
      ['is denied', [call, asked, denied], { state: 'approval-requested' }],
      ['is denied after the decision', [call, asked, allowed, denied], { state: 'output-denied' }],
      ['is asked for again', [call, asked, allowed, { ...asked, approvalId: 'b' }], { state: 'approval-requested', approval: { id: 'b' } }],
      ['is not asked for after its result', [call, asked, allowed, output, { ...asked, approvalId: 'b' }], { state: 'output-available' }],
      ['is unfinished if the answer ends after the decision', [call, asked, allowed, finish], { state: 'output-error' }],
    ])('%s', (_name, chunks, part) => expect(reduce(chunks)).toMatchObject([part]))
  })

  test.each(cases)('$name', ({ chunks, parts }) => expect(reduce(chunks)).toEqual(parts))

  test('keeps the identity of unchanged parts, and of the list when none changed', () => {
    const before = reduce([
      { type: 'reasoning-delta', id: '1', delta: 'r' },
      { type: 'reasoning-end', id: '1' },
      call,
      { type: 'text-delta', id: '2', delta: 'a' },
    ])
    const after = applyChunk(before, { type: 'text-delta', id: '2', delta: 'b' })
    expect(after[0]).toBe(before[0])
    expect(after[1]).toBe(before[1])
    expect(after[2]).not.toBe(before[2])
    expect(before[2]).toEqual({ type: 'text', text: 'a', state: 'streaming' })
    const unchanging: StreamChunk[] = [
      { type: 'finish-step' },
      { type: 'error', errorText: 'x' },
      { type: 'text-end', id: '9' },
      { type: 'start', messageId: 'm' },
    ]
    const sealed = sealParts(after)
    for (const chunk of unchanging) expect(applyChunk(sealed, chunk)).toBe(sealed)
    expect(sealParts(sealed)).toBe(sealed)
  })

  test('never throws and never loses text, for any order of chunks', () => {
    const kinds: readonly ((n: number) => unknown)[] = [
      (n) => ({ type: 'text-delta', id: '1', delta: `t${n} ` }),
      (n) => ({ type: 'reasoning-delta', id: '1', delta: `r${n} ` }),
      ...['text-start', 'text-end', 'reasoning-start', 'reasoning-end'].map((type) => () => ({ type, id: '1' })),
      (n) => ({ ...call, toolCallId: `c${n % 3}` }),
      (n) => ({ type: 'tool-output-available', toolCallId: `c${n % 4}`, output: n }),
      () => ({ type: 'finish' }),
      () => ({ type: 'of-a-later-version' }),
    ]
    for (let seed = 1; seed <= 300; seed++) {
      const rng = createRng(seed)
      const chunks = Array.from({ length: 60 }, (_, n) => rng.pick(kinds)(n) as StreamChunk)
      const streamedText = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : [])).join('')
      const parts = reduce(chunks)
      expect(parts.map((part) => (part.type === 'text' && 'text' in part ? part.text : '')).join(''), `seed ${seed}`).toBe(streamedText)
      expect(
        parts.filter((part) => part.type === 'text' && 'state' in part && part.state === 'streaming').length,
        `seed ${seed}`,
      ).toBeLessThanOrEqual(1)
    }
  })
})
