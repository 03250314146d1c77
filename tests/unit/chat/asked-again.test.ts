// A request that failed is made again where that may help: the whole call while nothing was said, behind that the one request.
import { APICallError, type ToolSet, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import type { CallOptions, VendorModel, VendorPart } from '../../../worker/chat/models/vendor-model.ts'
import { type Outcome, runModel } from '../../../worker/chat/run.ts'
import { maxToolSteps } from '../../../worker/contract/limits.ts'
import { createTimers } from '../../support/answer-storage.ts'
import { finish, said, streamingModel } from '../../support/scripted-model.ts'

const start: VendorPart = { type: 'stream-start', warnings: [] }
const look: VendorPart = { type: 'tool-call', toolCallId: 'call', toolName: 'look', input: '{}' }
const answer = [start, ...said('Tea.'), finish('stop')]

const refusedWith = (statusCode: number, retryAfter?: string) =>
  new APICallError({
    message: 'not now',
    url: 'https://vendor.example',
    requestBodyValues: {},
    statusCode,
    ...(retryAfter && { responseHeaders: { 'retry-after': retryAfter } }),
  })

const settle = () => new Promise((resolve) => setImmediate(resolve))

/** Each request meets what comes next in the list, the last of it for ever. */
async function meeting(list: readonly (Error | readonly VendorPart[])[], isListened = false) {
  const timers = createTimers()
  const call = new AbortController()
  let asked = 0
  let looked = 0
  const next = (): readonly VendorPart[] => {
    const met = list[Math.min(asked++, list.length - 1)] ?? []
    if (met instanceof Error) throw met
    return met
  }
  const streaming = streamingModel(next)
  const listen: VendorModel['listen'] = async (_options: CallOptions, began, heard) => {
    const parts = next()
    began()
    for (const part of parts) await heard(part)
  }
  const execute = () => {
    looked += 1
    return 'tea'
  }
  const tools: ToolSet = { look: tool({ inputSchema: z.object({}), execute }) }
  let outcome: Outcome | null = null
  const running = runModel(
    { model: isListened ? { ...streaming, listen } : streaming, instructions: '', messages: [{ role: 'user', content: 'Tea?' }], tools },
    { writer: new ChunkWriter(() => undefined, timers.nowMs), signal: call.signal, later: timers.later, nowMs: timers.nowMs },
  ).then((ended) => (outcome = ended))
  return {
    asked: () => asked,
    looked: () => looked,
    stop: () => call.abort(new Error('stopped')),
    pass: async (ms: number) => {
      for (let i = 0; i < 20; i++) await settle()
      timers.advance(ms)
      for (let i = 0; i < 20; i++) await settle()
    },
    outcome: () => outcome,
    running,
  }
}

const busy = refusedWith(429)

describe('behind a tool', () => {
  test.each([
    ['busy', refusedWith(429)],
    ['broken', refusedWith(500)],
    ['not reached', new TypeError('fetch failed')],
  ])('a vendor that is %s for a moment is asked again, and the tool is not used again', async (_what, error) => {
    const { pass, outcome, asked, looked } = await meeting([[start, look, finish('tool-calls')], error, error, answer])
    await pass(500)
    await pass(1500)
    expect([outcome(), asked(), looked()]).toEqual([{ ending: 'completed' }, 4, 1])
  })

  test('one that stays busy is told of after as many attempts as a first request has', async () => {
    const { pass, outcome, asked } = await meeting([[start, look, finish('tool-calls')], busy])
    await pass(500)
    await pass(1500)
    expect([outcome(), asked()]).toMatchObject([{ ending: 'failed', failure: { code: 'model_busy' } }, 4])
  })

  test.each([
    ['that names a later time', refusedWith(429, '60'), 'model_busy'],
    ['that asking again does not help', refusedWith(401), 'model_refused_key'],
  ])('one %s is not', async (_what, error, code) => {
    const { pass, outcome, asked } = await meeting([[start, look, finish('tool-calls')], error])
    await pass(0)
    expect([outcome(), asked()]).toMatchObject([{ ending: 'failed', failure: { code } }, 2])
  })

  test('one that has begun to answer is not: half of a step would be there twice', async () => {
    const broken = [start, { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'Te' }, { type: 'error', error: busy }]
    const { pass, outcome, asked } = await meeting([[start, look, finish('tool-calls')], broken as VendorPart[], answer])
    await pass(5000)
    expect([outcome(), asked()]).toMatchObject([{ ending: 'failed', failure: { code: 'model_busy' } }, 2])
  })

  test('nobody is asked for an answer that was stopped meanwhile', async () => {
    const { pass, stop, running, asked } = await meeting([[start, look, finish('tool-calls')], busy, answer])
    await pass(100)
    stop()
    await pass(5000)
    expect([await running, asked()]).toMatchObject([{ ending: 'failed' }, 2])
  })

  test('so are the words that it is made to say in the end', async () => {
    const steps = Array.from({ length: maxToolSteps }, () => [start, look, finish('tool-calls')])
    const { pass, outcome, asked, looked } = await meeting([...steps, busy, answer], true)
    await pass(500)
    expect([outcome(), asked(), looked()]).toEqual([{ ending: 'completed' }, maxToolSteps + 2, maxToolSteps - 1])
  })
})

test('a first request has no more attempts than before', async () => {
  const { pass, outcome, asked } = await meeting([busy])
  await pass(500)
  await pass(1500)
  await pass(5000)
  expect([outcome(), asked()]).toMatchObject([{ ending: 'failed', failure: { code: 'model_busy' } }, 3])
})
