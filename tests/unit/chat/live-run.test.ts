import { expect, test } from 'vitest'
import type { Outcome } from '../../../worker/chat/model/call.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { startRun, type Work } from '../../../worker/chat/turn/live-run.ts'

function start(work: Work) {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const writer = new ChunkWriter(() => {}, Date.now)
  const run = startRun(work, writer, {
    finished: resolve,
    nowMs: Date.now,
    onRequest: () => {},
  })
  return { run, finished: promise }
}

test.each<[when: string, work: Work]>([
  [
    'at once',
    () => {
      throw new Error('no')
    },
  ],
  ['later', () => Promise.reject(new Error('no'))],
])('work that throws %s fails, and the waiting callers continue', async (_when, work) => {
  expect(await start(work).finished).toEqual({
    ending: 'failed',
    failure: expect.objectContaining({ code: 'model_error' }),
    error: new Error('no'),
  })
})

test('output of stopped work is dropped', async () => {
  const heard: Outcome[] = []
  const said = Promise.withResolvers<Outcome>()
  const { run, finished } = start(() => said.promise)
  void finished.then((outcome) => heard.push(outcome))
  run.stop()
  said.resolve({ ending: 'completed' })
  await new Promise((resolve) => setTimeout(resolve))
  expect(heard).toEqual([])
})
