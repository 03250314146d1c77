// The silence limit applies to the model alone: the time that a tool takes does not end an answer.
import { type ToolSet, tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import { type Outcome, runModel } from '../../../worker/chat/model/call.ts'
import type { VendorModel, VendorPart } from '../../../worker/chat/model/types.ts'
import { finish, said, scriptedModel, streamingModel } from '../../support/scripted-model.ts'

const silenceMs = 100
const start: VendorPart = { type: 'stream-start', warnings: [] }
const call = (toolCallId: string): VendorPart => ({ type: 'tool-call', toolCallId, toolName: 'search', input: '{"query":"tea"}' })

const run = (model: VendorModel, tools: ToolSet): Promise<Outcome> =>
  runModel(
    { model, instructions: '', messages: [{ role: 'user', content: 'Tea?' }], tools },
    { writer: new ChunkWriter(() => {}, Date.now), signal: new AbortController().signal, nowMs: Date.now, silenceMs, maxRetries: 0 },
  )

const slowTool = (delayMs: number): ToolSet => ({
  search: tool({
    inputSchema: z.object({ query: z.string() }),
    execute: () => new Promise<string>((resolve) => setTimeout(() => resolve('found'), delayMs)),
  }),
})

test('a tool may take longer than the silence limit of the model', async () => {
  let steps = 0
  const model = streamingModel(() => {
    steps += 1
    return steps === 1 ? [start, call('a'), call('b'), finish('tool-calls')] : [start, ...said('Tea is a drink.'), finish('stop')]
  })
  expect(await run(model, slowTool(4 * silenceMs))).toEqual({ ending: 'completed' })
})

/** Sends these parts and then nothing, until its request is aborted. */
const stalling = (...parts: readonly VendorPart[]): VendorModel =>
  scriptedModel({
    doStream: async ({ abortSignal }) => ({
      stream: new ReadableStream<VendorPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part)
          abortSignal?.addEventListener('abort', () => controller.error(abortSignal.reason))
        },
      }),
    }),
  })

test.each<[string, readonly VendorPart[]]>([
  ['before its first output', [start]],
  ['after its first words', [start, ...said('Tea')]],
  ['after a tool call', [start, call('a')]],
])('a model that stalls %s has failed', async (_when, parts) => {
  expect(await run(stalling(...parts), slowTool(0))).toMatchObject({ ending: 'failed', failure: { code: 'model_silent' } })
})
