// The call that makes a plan: by the rules of its model like any other.
import { expect, test } from 'vitest'
import { ChunkWriter } from '../../../../worker/chat/chunk-writer.ts'
import type { CallOptions } from '../../../../worker/chat/models/vendor-model.ts'
import { planWork } from '../../../../worker/chat/research/make-plan.ts'
import { later } from '../../../../worker/chat/storage.ts'
import type { RowOf } from '../../../../worker/contract/schema.ts'
import { finish, said, streamingModel } from '../../../support/scripted-model.ts'

test('a plan is asked for with what the row says of every call', async () => {
  const seen: CallOptions[] = []
  const model = streamingModel((options) => {
    seen.push(options)
    return [...said('What tea is => tea'), finish('stop')]
  })
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
