// Calls whose output is not streamed: the result of a truncated one.
import { expect, test } from 'vitest'
import { runModelForText } from '../../../../worker/chat/model/call.ts'
import type { ProviderPart } from '../../../../worker/chat/model/types.ts'
import { streamingModel, textParts, usage } from '../../../support/scripted-model.ts'

const quietly = (parts: readonly ProviderPart[], ends: 'length' | 'content-filter') => {
  const model = streamingModel(() => [...parts, { type: 'finish', usage, finishReason: { unified: ends, raw: ends } }])
  const host = { writer: undefined as never, signal: new AbortController().signal, nowMs: Date.now }
  return runModelForText({ model, instructions: '', messages: [{ role: 'user', content: 'x' }] }, host)
}

test.each([
  ['length', 'model_length'],
  ['content-filter', 'model_filtered'],
] as const)('notes truncated by %s are used; without text there are none, and the reason is reported', async (ends, code) => {
  expect(await quietly(textParts('Tides are'), ends)).toEqual({ text: 'Tides are' })
  expect(await quietly([], ends)).toMatchObject({ outcome: { ending: 'failed', failure: { code } } })
})
