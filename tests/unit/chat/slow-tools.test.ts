// How long a model may be silent is the model's time alone: what a tool takes, or waits for a place, ends no answer.
import { type ToolSet, tool } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import type { VendorModel, VendorPart } from '../../../worker/chat/models/vendor-model.ts'
import { type Outcome, runModel } from '../../../worker/chat/run.ts'
import { ConnectionGate } from '../../../worker/chat/tools/connection-gate.ts'
import { turnTools } from '../../../worker/chat/tools/turn-tools.ts'
import { modelSilenceMs } from '../../../worker/contract/limits.ts'
import { createTimers, type Timers } from '../../support/answer-storage.ts'
import { finish, said, scriptedModel, streamingModel } from '../../support/scripted-model.ts'

const start: VendorPart = { type: 'stream-start', warnings: [] }
const call = (toolCallId: string): VendorPart => ({ type: 'tool-call', toolCallId, toolName: 'search', input: '{"query":"tea"}' })

/** Uses the tool this often at once, then answers. */
function searchingModel(calls: number): VendorModel {
  let steps = 0
  return streamingModel(() => {
    steps += 1
    const ids = Array.from({ length: calls }, (_, index) => `call-${index}`)
    return steps === 1 ? [start, ...ids.map(call), finish('tool-calls')] : [start, ...said('Tea is a drink.'), finish('stop')]
  })
}

const run = (model: VendorModel, tools: ToolSet, { later, nowMs }: Timers): Promise<Outcome> =>
  runModel(
    { model, instructions: '', messages: [{ role: 'user', content: 'Tea?' }], tools },
    { writer: new ChunkWriter(() => {}, nowMs), signal: new AbortController().signal, later, nowMs },
  )

/** A tool whose every use takes as long as the test says. */
function heldTool(uses: number) {
  const held: (() => void)[] = []
  const allAtWork = Promise.withResolvers<void>()
  const search = tool({
    inputSchema: z.object({ query: z.string() }),
    execute: () =>
      new Promise<string>((resolve) => {
        held.push(() => resolve('found'))
        if (held.length === uses) allAtWork.resolve()
      }),
  })
  return { tools: { search }, held, allAtWork: allAtWork.promise }
}

test('a tool that takes longer than a model may be silent ends no answer', async () => {
  const timers = createTimers()
  const { tools, held, allAtWork } = heldTool(1)
  const answer = run(searchingModel(1), tools, timers)
  await allAtWork
  timers.advance(5 * modelSilenceMs)
  held[0]?.()
  expect(await answer).toEqual({ ending: 'completed' })
})

test('as long as one of several is at work, none of them does', async () => {
  const timers = createTimers()
  const { tools, held, allAtWork } = heldTool(3)
  const answer = run(searchingModel(3), tools, timers)
  await allAtWork
  for (const end of held) {
    timers.advance(2 * modelSilenceMs)
    end()
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await answer).toEqual({ ending: 'completed' })
})

test('neither does one that waits for a place among the connections', async () => {
  const timers = createTimers()
  const waiting = Promise.withResolvers<void>()
  class FullGate extends ConnectionGate {
    override run<T>(work: () => Promise<T>): Promise<T> {
      const worked = super.run(work)
      waiting.resolve()
      return worked
    }
  }
  const elsewhere = Promise.withResolvers<void>()
  const connections = new FullGate(1)
  const other = ConnectionGate.prototype.run.call(connections, () => elsewhere.promise)
  const provider = { isStandIn: false, heldPage: async () => null, search: async () => [] }
  const network = { fetch: () => Promise.reject(new Error('no network here')), resolve: async () => [], ownHosts: [] }
  const answer = run(searchingModel(2), turnTools({ history: [] }, { provider, network, connections, mark: 'data-mark' }), timers)
  await waiting.promise
  timers.advance(5 * modelSilenceMs)
  elsewhere.resolve()
  await other
  expect(await answer).toEqual({ ending: 'completed' })
})

test('a model that falls silent behind its call of a tool is silent: the tool is used when it has said all', async () => {
  const timers = createTimers()
  const called = Promise.withResolvers<void>()
  const stalling = scriptedModel({
    doStream: async () => ({
      stream: new ReadableStream<VendorPart>({
        start(controller) {
          controller.enqueue(start)
          controller.enqueue(call('call-0'))
        },
        pull: () => called.resolve(),
      }),
    }),
  })
  const answer = run(stalling, heldTool(1).tools, timers)
  await called.promise
  timers.advance(2 * modelSilenceMs)
  expect(await answer).toMatchObject({ ending: 'failed', failure: { code: 'model_silent' } })
})

test('after its tools a model has its time anew, and no more than that', async () => {
  const timers = createTimers()
  const { tools, held, allAtWork } = heldTool(1)
  const asked = Promise.withResolvers<void>()
  let steps = 0
  const mute = scriptedModel({
    doStream: async () => {
      steps += 1
      const parts = steps === 1 ? [start, call('call-0'), finish('tool-calls')] : []
      if (steps === 2) asked.resolve()
      return {
        stream: new ReadableStream<VendorPart>({
          start(controller) {
            for (const part of parts) controller.enqueue(part)
            if (steps === 1) controller.close()
          },
        }),
      }
    },
  })
  const answer = run(mute, tools, timers)
  await allAtWork
  timers.advance(modelSilenceMs / 2)
  held[0]?.()
  await asked.promise
  timers.advance(modelSilenceMs - 1)
  expect(timers.pending).toBe(1)
  timers.advance(modelSilenceMs)
  expect(await answer).toMatchObject({ ending: 'failed', failure: { code: 'model_silent' } })
})
