// Whoever is behind as many models as may be asked at once: asked in turn, told why not, or stopped; and no place is ever lost.
import { expect, test } from 'vitest'
import { AskingLine } from '../../../worker/chat/asking-line.ts'
import { ChunkWriter } from '../../../worker/chat/chunk-writer.ts'
import { runModel } from '../../../worker/chat/run.ts'
import { createTimers } from '../../support/answer-storage.ts'
import { streamingModel } from '../../support/scripted-model.ts'

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

test('an answer that waited in vain says so, and not that its model was silent', async () => {
  const { asking, enter, timers } = line(1)
  await enter().entered
  let asked = 0
  const model = streamingModel(() => {
    asked += 1
    return []
  })
  const running = runModel(
    { model, instructions: '', messages: [{ role: 'user', content: 'Hello?' }], tools: null },
    {
      writer: new ChunkWriter(() => undefined, timers.nowMs),
      signal: new AbortController().signal,
      later: timers.later,
      nowMs: timers.nowMs,
      silenceMs: waitMs,
      asking,
    },
  )
  await settle()
  timers.advance(waitMs)
  expect(await running).toMatchObject({
    ending: 'failed',
    failure: { code: 'answers_waiting', message: expect.stringMatching(/other answers/) },
  })
  expect([asked, timers.pending]).toEqual([0, 0])
})
