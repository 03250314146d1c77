import { expect, test } from 'vitest'
import type { Generate, Outcome } from '../../../worker/chat/model/call.ts'
import { ChunkWriter } from '../../../worker/chat/turn/chunk-writer.ts'
import { startGeneration } from '../../../worker/chat/turn/generation.ts'

function start(generate: Generate) {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const writer = new ChunkWriter(() => {}, Date.now)
  const run = startGeneration(generate, writer, {
    onOutcome: resolve,
    nowMs: Date.now,
    onRequest: () => {},
  })
  return { run, finished: promise }
}

test.each<[when: string, generate: Generate]>([
  [
    'at once',
    () => {
      throw new Error('no')
    },
  ],
  ['later', () => Promise.reject(new Error('no'))],
])('a generation that throws %s fails, and the waiting callers continue', async (_when, generate) => {
  expect(await start(generate).finished).toEqual({
    ending: 'failed',
    failure: expect.objectContaining({ code: 'model_error' }),
    error: new Error('no'),
  })
})

test('output of a stopped generation is dropped', async () => {
  const outcomes: Outcome[] = []
  const answer = Promise.withResolvers<Outcome>()
  const { run, finished } = start(() => answer.promise)
  void finished.then((outcome) => outcomes.push(outcome))
  run.stop()
  answer.resolve({ ending: 'completed' })
  await new Promise((resolve) => setTimeout(resolve))
  expect(outcomes).toEqual([])
})
