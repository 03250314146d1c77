// The turn is stored before the provider is called, so a crash at any point causes at most one request.
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { StreamEvent } from '../../worker/contract/threads/event-stream.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import type { FaultyGeneration } from './faulty-generation.ts'
import { saying, stubProvider } from './provider.ts'
import { testAbortReason } from './sync-object.ts'
import {
  credits,
  generationOf,
  givenTurn,
  inside,
  openStream,
  partsOf,
  readEvents,
  recordOf,
  streamRequest,
  textIn,
  untilEnded,
} from './turns.ts'
import { until } from './until.ts'

afterEach(() => vi.unstubAllGlobals())

const day = 20_000
const reserved = { kind: 'reserve', credits, day }
const settled = [reserved, { kind: 'settle', credits: 0, day }]
const released = [{ kind: 'release', credits: -credits, day }, reserved]

const never = () => new Promise<never>(() => undefined)

/** From now on the storage of this object confirms writes only on request. */
function holdStorage(state: DurableObjectState): () => void {
  const held = Promise.withResolvers<void>()
  state.storage.sync = () => held.promise
  return held.resolve
}

/** The events that a reader receives, and the end of the stream. */
function listen(response: Promise<Response>): { readonly received: StreamEvent[]; readonly ended: Promise<'whole' | 'broken off'> } {
  const received: StreamEvent[] = []
  const note = (events: readonly StreamEvent[]) => {
    received.splice(0, received.length, ...events)
    return false
  }
  const ended = response
    .then((found) => readEvents(found, note))
    .then(
      () => 'whole' as const,
      () => 'broken off' as const,
    )
  return { received, ended }
}

/** A reader in the object itself, so that it receives events without delay. */
const listenInside = (generation: FaultyGeneration, { generationId, userId, threadId }: StartTurn) =>
  listen(generation.fetch(streamRequest({ generationId, userId, threadId })))

describe('a provider', () => {
  test.each(['chat', 'search'] as const)('is called once, after the turn is stored (%s)', async (mode) => {
    const turn = await givenTurn('hello', { mode, needsTitle: false })
    const asked = await inside(turn, async (generation, state) => {
      generation.reachGateway()
      const requests = stubProvider(state, never)
      await Promise.all([generation.start(turn), generation.start(turn)])
      await generation.start(turn)
      await until(() => requests.length, Boolean, 'a question')
      return requests.map(({ isStored }) => isStored)
    })
    expect(asked).toEqual([true])
    await generationOf(turn).stop(turn.generationId, turn.userId)
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({ answers: 1 })
  })
})

test.each([
  ['another command', (turn: StartTurn) => generationOf(turn).start(turn)],
  ['the recovery job', (turn: StartTurn) => generationOf(turn).recover(turn.generationId, turn.userId)],
] as const)('an object that dies during the request ends as interrupted by %s, and is free', async (_who, recover) => {
  const turn = await givenTurn('hello', { needsTitle: false })
  let asked = 0
  const died = inside(turn, async (generation, state) => {
    generation.reachGateway()
    stubProvider(state, () => {
      asked += 1
      state.abort(testAbortReason)
      return never()
    })
    await generation.start(turn)
    await never()
  })
  await expect(died).rejects.toThrow()
  vi.unstubAllGlobals()
  await recover(turn)
  await untilEnded(turn)
  expect(asked).toBe(1)
  expect(await recordOf(turn)).toMatchObject({ answers: 1, generation: { status: 'interrupted' }, usage: { credits: 0 } })
})

describe('a start command that the storage has not confirmed', () => {
  /** The requests to the provider before and after the storage confirmed. */
  const startThen = (turn: StartTurn, meanwhile: (generation: FaultyGeneration, state: DurableObjectState) => Promise<unknown>) =>
    inside(turn, async (generation, state) => {
      generation.reachGateway()
      const asked = stubProvider(state, async () => saying('Hi there'))
      const keep = holdStorage(state)
      const first = generation.start(turn)
      await meanwhile(generation, state)
      const before = asked.length
      keep()
      await first
      return { before, asked }
    })

  test('sends no request, and is not taken for an abandoned one', async () => {
    const turn = await givenTurn('hello', { needsTitle: false })
    const others: Promise<unknown>[] = []
    const reading = openStream(turn)
    const { before, asked } = await startThen(turn, async (generation) => {
      others.push(generation.start(turn), generation.recover(turn.generationId, turn.userId))
      others.push(listenInside(generation, turn).ended)
      await generation.alarm()
    })
    await Promise.all(others)
    expect([before, asked.length]).toEqual([0, 1])
    expect(textIn(partsOf(await readEvents(await reading)))).toBe('Hi there')
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({ answers: 1, ledger: settled, generation: { status: 'completed' } })
  })

  test('can be stopped, and then the provider is never called', async () => {
    const turn = await givenTurn('hello', { needsTitle: false })
    const { before, asked } = await startThen(turn, (generation) => generation.stop(turn.generationId, turn.userId))
    await untilEnded(turn)
    expect([before, asked.length]).toEqual([0, 0])
    expect(await recordOf(turn)).toMatchObject({ answers: 1, ledger: released, generation: { status: 'stopped' } })
  })
})
