// Turns that end for a reason outside of the user's control, which they report.
import { afterEach, expect, test, vi } from 'vitest'
import { generationMaxMs } from '../../worker/contract/limits.ts'
import { type Asked, stubProvider } from './provider.ts'
import {
  credits,
  fireAlarm,
  generationOf,
  givenTurn,
  inside,
  openStream,
  readEvents,
  recordOf,
  textIn,
  untilEnded,
  untilWatched,
} from './turns.ts'

afterEach(() => vi.unstubAllGlobals())

const day = 20_000
const released = [
  { kind: 'release', credits: -credits, day },
  { kind: 'reserve', credits, day },
]

test('a turn whose model was removed fails with this reason, for free', async () => {
  const turn = await givenTurn('/demo chunks=3')
  await generationOf(turn).recover(turn.generationId, turn.userId, 'model_not_installed')
  await untilEnded(turn)
  expect(await recordOf(turn)).toMatchObject({
    thread: { status: 'ready' },
    generation: { status: 'failed' },
    ledger: released,
    answer: { metadata: { ending: 'failed', failure: { code: 'model_not_installed' } } },
  })
})

test('a running turn continues after its model was removed', async () => {
  const turn = await givenTurn('/demo chunks=60 delay=3')
  await generationOf(turn).start(turn)
  await generationOf(turn).recover(turn.generationId, turn.userId, 'model_not_installed')
  await untilEnded(turn)
  expect(await recordOf(turn)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
})

test('an answer that exceeds the platform’s time limit keeps its text and the reason', async () => {
  const turn = await givenTurn('/demo chunks=5000 delay=10')
  await generationOf(turn).start(turn)
  await readEvents(await openStream(turn), (events) => events.length > 200)
  await untilWatched(turn)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + generationMaxMs })
  await fireAlarm(turn)
  vi.useRealTimers()
  const { answer } = await recordOf(turn)
  expect(answer?.metadata).toMatchObject({ ending: 'interrupted', credits, failure: { code: 'answer_too_slow' } })
  expect(textIn(answer?.parts ?? [])).not.toBe('')
})

test('a conversation that exceeds its model’s context is sent once, reported, and free', async () => {
  const turn = await givenTurn('a long story', { needsTitle: false })
  const error = { message: 'prompt is too long: 208310 tokens > 200000 maximum', type: 'invalid_request_error' }
  let asked: readonly Asked[] = []
  await inside(turn, (generation, state) => {
    generation.reachGateway()
    asked = stubProvider(state, () => Promise.resolve(Response.json({ error }, { status: 400 })))
    return generation.start(turn)
  })
  await untilEnded(turn)
  expect(asked).toHaveLength(1)
  expect(await recordOf(turn)).toMatchObject({
    thread: { status: 'ready' },
    generation: { status: 'failed', error: 'conversation_too_long' },
    ledger: released,
    usage: { credits: 0 },
    answer: { parts: [], metadata: { ending: 'failed', credits: 0, failure: { code: 'conversation_too_long' } } },
  })
})
