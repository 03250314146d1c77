// Whoever is behind as many models as may be asked at once: asked in turn, told why not, or stopped; and no place is ever lost.
import { type ToolSet, tool } from 'ai'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { AskingLine, askedInLine } from '../../../worker/chat/asking-line.ts'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import type { CallOptions, VendorModel, VendorPart } from '../../../worker/chat/models/vendor-model.ts'
import { quietCall } from '../../../worker/chat/research/quiet-call.ts'
import { type RunHost, runModel } from '../../../worker/chat/run.ts'
import { maxToolSteps } from '../../../worker/contract/limits.ts'
import { createTimers, type Timers } from '../../support/answer-storage.ts'
import { finish, said, scriptedModel, streamingModel } from '../../support/scripted-model.ts'

const waitMs = 1000

function line(size: number) {
  const timers = createTimers()
  const asking = new AskingLine(size)
  const enter = (call = new AbortController()) => {
    const entered = asking.enter({ signal: call.signal, later: timers.later, waitMs })
    return { entered, stop: () => call.abort(new Error('stopped')) }
  }
  return { timers, asking, enter }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('they come in in the order in which they came, each when another has left, and leaving twice is leaving once', async () => {
  const { enter, timers } = line(2)
  const inside: number[] = []
  const all = [0, 1, 2, 3, 4].map(async (i) => {
    const leave = await enter().entered
    inside.push(i)
    return leave
  })
  await settle()
  expect(inside).toEqual([0, 1])
  const leave = await all[0]
  leave?.()
  leave?.()
  await settle()
  expect(inside).toEqual([0, 1, 2])
  // Both at once: each place has its own successor.
  const leaves = await Promise.all([all[1], all[2]])
  for (const one of leaves) one?.()
  await settle()
  expect(inside).toEqual([0, 1, 2, 3, 4])
  expect(timers.pending).toBe(0)
})

test('whoever has waited for long enough, or is stopped, is out of the line, and takes no place along', async () => {
  const { enter, timers } = line(1)
  const leave = await enter().entered
  const stopped = enter()
  const late = enter()
  stopped.stop()
  // In the same moment: the place goes to somebody who is still there.
  const next = enter()
  await expect(stopped.entered).rejects.toThrow('stopped')
  timers.advance(waitMs)
  await expect(late.entered).rejects.toMatchObject({ name: 'LongLineError' })
  await expect(next.entered).rejects.toMatchObject({ name: 'LongLineError' })
  const last = enter()
  leave()
  ;(await last.entered)()
  ;(await enter().entered)()
  expect(timers.pending).toBe(0)
})

test('a place that is given to somebody who is stopped in that moment is given on', async () => {
  const { enter } = line(1)
  const leave = await enter().entered
  const stopped = enter()
  const next = enter()
  leave()
  stopped.stop()
  ;(await stopped.entered)()
  ;(await next.entered)()
})

type Line = { readonly asking: AskingLine; readonly timers: Timers; readonly call?: AbortController }

const hostIn = ({ asking, timers: { later, nowMs }, call = new AbortController() }: Line): RunHost => ({
  writer: new ChunkWriter(() => undefined, nowMs),
  signal: call.signal,
  later,
  nowMs,
  silenceMs: waitMs,
  asking,
})

const run = (model: VendorModel, tools: ToolSet | null, line: Line) =>
  runModel({ model, instructions: '', messages: [{ role: 'user', content: 'Hello?' }], tools }, hostIn(line))

const waitedInVain = {
  ending: 'failed',
  failure: { code: 'answers_waiting', message: expect.stringMatching(/other answers/) },
}

test('an answer that waited in vain says so, and not that its model was silent', async () => {
  const { asking, enter, timers } = line(1)
  await enter().entered
  let asked = 0
  const model = streamingModel(() => {
    asked += 1
    return []
  })
  const running = run(model, null, { asking, timers })
  await settle()
  timers.advance(waitMs)
  expect(await running).toMatchObject(waitedInVain)
  expect([asked, timers.pending]).toEqual([0, 0])
})

const start: VendorPart = { type: 'stream-start', warnings: [] }
const look: VendorPart = { type: 'tool-call', toolCallId: 'call', toolName: 'look', input: '{}' }

/** Looks something up, then answers; while it looks, another comes in and takes the place of a line that has one. */
async function overtaken() {
  const { asking, enter, timers } = line(1)
  const call = new AbortController()
  const found = Promise.withResolvers<string>()
  const isLooking = Promise.withResolvers<void>()
  const execute = () => {
    isLooking.resolve()
    return found.promise
  }
  let asked = 0
  const model = streamingModel(() => {
    asked += 1
    return asked === 1 ? [start, look, finish('tool-calls')] : [start, ...said('Tea.'), finish('stop')]
  })
  const running = run(model, { look: tool({ inputSchema: z.object({}), execute }) }, { asking, timers, call })
  await isLooking.promise
  const leave = await enter().entered
  found.resolve('tea')
  await settle()
  expect(asked).toBe(1)
  return { running, leave, enter, timers, stop: () => call.abort(), asked: () => asked }
}

describe('what is asked behind its tools', () => {
  test('waits in line, too, which is no silence of its model', async () => {
    const { running, leave, timers, asked } = await overtaken()
    timers.advance(waitMs - 1)
    await settle()
    leave()
    expect(await running).toEqual({ ending: 'completed' })
    expect(asked()).toBe(2)
  })

  test('waits for as long as a first question may, and is told why not', async () => {
    const { running, timers, asked } = await overtaken()
    timers.advance(waitMs)
    expect(await running).toMatchObject(waitedInVain)
    expect([asked(), timers.pending]).toEqual([1, 0])
  })

  test('can be stopped there, and leaves no place behind', async () => {
    const { running, leave, enter, timers, stop, asked } = await overtaken()
    stop()
    expect(await running).toMatchObject({ ending: 'failed' })
    leave()
    ;(await enter().entered)()
    expect([asked(), timers.pending]).toEqual([1, 0])
  })

  test('has its time anew when its turn comes', async () => {
    const { asking, timers } = line(1)
    let asked = 0
    const mute = scriptedModel({
      doStream: async () => {
        asked += 1
        return new Promise(() => undefined)
      },
    })
    const leave = await asking.enter({ signal: new AbortController().signal, later: timers.later, waitMs })
    const running = run(mute, null, { asking, timers })
    timers.advance(waitMs - 1)
    leave()
    await settle()
    timers.advance(waitMs / 2)
    await settle()
    expect([asked, timers.pending]).toEqual([1, 1])
    timers.advance(waitMs)
    expect(await running).toMatchObject({ failure: { code: 'model_silent' } })
  })
})

test('every request of an answer has one place, from its first step to the words it is made to say in the end', async () => {
  const { asking, timers } = line(1)
  let asked = 0
  const model = streamingModel(({ tools }: CallOptions) => {
    asked += 1
    if (asked === maxToolSteps) return [start, { type: 'error', error: { message: 'nothing can be called' } }]
    return tools?.length ? [start, look, finish('tool-calls')] : [start, ...said('Tea.'), finish('stop')]
  })
  const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'tea' }) }
  expect(await run(model, tools, { asking, timers })).toEqual({ ending: 'completed' })
  expect(asked).toBe(maxToolSteps + 1)
})

test('a call of a research is one of them', async () => {
  const { asking, enter, timers } = line(1)
  const leave = await enter().entered
  let asked = 0
  const model = streamingModel(() => {
    asked += 1
    return [start, ...said('Notes.'), finish('stop')]
  })
  const noting = quietCall({ model, instructions: '', messages: [{ role: 'user', content: 'Note.' }] }, hostIn({ asking, timers }))
  await settle()
  expect(asked).toBe(0)
  leave()
  expect(await noting).toEqual({ text: 'Notes.' })
})

describe('a place is given back', () => {
  const asked = (acts: Partial<VendorModel>, signal = new AbortController().signal) => {
    const { asking, timers, enter } = line(1)
    const model = askedInLine(Object.assign(scriptedModel(acts), acts), () => asking.enter({ signal, later: timers.later, waitMs }), signal)
    return { model, isFree: async () => (await enter().entered)() }
  }
  const options: CallOptions = { prompt: [] }

  test('when the vendor refuses', async () => {
    const { model, isFree } = asked({ doStream: () => Promise.reject(new Error('no')) })
    await expect(model.doStream(options)).rejects.toThrow('no')
    await isFree()
  })

  test('when it begins to answer, long before it ends', async () => {
    let end = (): void => undefined
    onTestFinished(() => end())
    const { model, isFree } = asked({
      listen: (_options, began) => {
        began()
        return new Promise((resolve) => (end = resolve))
      },
    })
    const began = Promise.withResolvers<void>()
    void model.listen?.(options, began.resolve, () => true)
    await began.promise
    await isFree()
  })

  test('when it is stopped, though its package never hears of that', async () => {
    const call = new AbortController()
    const { model, isFree } = asked({ doStream: () => new Promise(() => undefined) }, call.signal)
    void model.doStream(options)
    await settle()
    call.abort()
    await isFree()
  })
})
