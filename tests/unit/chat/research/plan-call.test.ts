// The call that makes a plan: by the rules of its model like any other.
import { expect, test } from 'vitest'
import { ChunkWriter } from '../../../../worker/chat/chunk-writer.ts'
import type { CallOptions, VendorModel, VendorPart } from '../../../../worker/chat/models/vendor-model.ts'
import { planWork } from '../../../../worker/chat/research/make-plan.ts'
import { later } from '../../../../worker/chat/storage.ts'
import type { RowOf } from '../../../../worker/contract/schema.ts'

const said: readonly VendorPart[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'What tea is => tea' },
  { type: 'text-end', id: 't' },
  { type: 'finish', usage: { inputTokens: {}, outputTokens: {} } as never, finishReason: { unified: 'stop', raw: 'stop' } },
]

test('a plan is asked for with what the row says of every call', async () => {
  const seen: CallOptions[] = []
  const model: VendorModel = {
    specificationVersion: 'v4',
    provider: 'script',
    modelId: 'script',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('only streams')),
    doStream: async (options) => {
      seen.push(options)
      const start = (controller: ReadableStreamDefaultController<VendorPart>) => {
        for (const part of said) controller.enqueue(part)
        controller.close()
      }
      return { stream: new ReadableStream({ start }) }
    },
  }
  const rules = { temperature: 0.3, reasoning: 'high', providerOptions: { vendor: { option: true } } } as const
  const work = planWork({
    order: {
      history: [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'What is tea?' }] }],
      model: { name: 'Model' } as RowOf<'model'>,
      mode: 'research',
      effort: 'high',
      person: { name: 'Ada' },
    },
    model,
    call: rules,
    files: { slots: new Map(), partsOf: () => [] },
    emit: () => undefined,
  })
  const host = { writer: new ChunkWriter(() => undefined, Date.now), signal: new AbortController().signal, later, nowMs: Date.now }
  expect(await work(host)).toEqual({ ending: 'completed' })
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject(rules)
})
