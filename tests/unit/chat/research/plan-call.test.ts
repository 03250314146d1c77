// The call that creates a plan follows the rules of its model.
import { expect, test } from 'vitest'
import type { CallOptions } from '../../../../worker/chat/model/types.ts'
import { generatePlan } from '../../../../worker/chat/research/run-research.ts'
import { ChunkWriter } from '../../../../worker/chat/turn/chunk-writer.ts'
import { maxPlanStepChars } from '../../../../worker/contract/limits.ts'
import type { StreamChunk } from '../../../../worker/contract/threads/message-stream.ts'
import { noFiles } from '../../../support/no-files.ts'
import { researchInput } from '../../../support/research-input.ts'
import { finish, streamingModel, textParts } from '../../../support/scripted-model.ts'

const rules = { temperature: 0.3, reasoning: 'high', providerOptions: { provider: { option: true } } } as const

async function planOf(question: string, answer: string) {
  const seen: CallOptions[] = []
  const emitted: StreamChunk[] = []
  const model = streamingModel((options) => {
    seen.push(options)
    return [...textParts(answer), finish('stop')]
  })
  const work = generatePlan({
    input: { ...researchInput([{ id: 'q', role: 'user', parts: [{ type: 'text', text: question }] }]), effort: 'high' },
    model,
    call: rules,
    files: noFiles,
    emit: (chunk) => emitted.push(chunk),
  })
  const host = { writer: new ChunkWriter(() => undefined, Date.now), signal: new AbortController().signal, nowMs: Date.now }
  expect(await work(host)).toEqual({ ending: 'completed' })
  return { seen, emitted }
}

test('the request for a plan has the settings of the row', async () => {
  const { seen } = await planOf('What is tea?', 'What tea is => tea')
  expect(seen).toHaveLength(1)
  expect(seen[0]).toMatchObject(rules)
})

test('a question that replaces the plan is not cut inside a character', async () => {
  const { emitted } = await planOf(`${'x'.repeat(maxPlanStepChars - 1)}🎈?`, 'I cannot plan this.')
  expect(emitted.at(-1)).toMatchObject({ output: { steps: [{ text: 'x'.repeat(maxPlanStepChars - 1) }] } })
})
