import { expect, test } from 'vitest'
import { saidOnce } from '../../../worker/chat/models/said-once.ts'
import type { VendorPart } from '../../../worker/chat/models/vendor-model.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const heard = (parts: readonly VendorPart[]): readonly VendorPart[] => parts.filter(saidOnce())
const said = (id: string, ...deltas: readonly string[]): VendorPart[] => [
  { type: 'text-start', id },
  ...deltas.map((delta): VendorPart => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
]
const call = (toolCallId: string, input: string): VendorPart => ({ type: 'tool-call', toolCallId, toolName: 'search', input })
const finish: VendorPart = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } }

test('nothing is taken from a stream that says everything once, also when ids are used again', () => {
  const parts = [
    ...said('t', 'I look.'),
    { type: 'tool-input-start', id: 'c', toolName: 'search' } as const,
    { type: 'tool-input-end', id: 'c' } as const,
    call('c', '{"query":"a"}'),
    call('c', '{"query":"b"}'),
    ...said('t', 'And again.'),
    finish,
  ]
  expect(heard(parts)).toEqual(parts)
})

test('beginnings, ends, calls and sources count once, words as often as they come, and nothing after the end', () => {
  const source: VendorPart = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/' }
  const parts = [...said('t', 'ha '), call('c', '{}'), source, finish]
  const twice = parts.flatMap((part) => [part, part])
  expect(heard([...twice, ...parts])).toEqual([...said('t', 'ha ', 'ha '), call('c', '{}'), source, finish])
})
