// Between asking the vendor and storing the order nothing is stored, so whatever happens there has to come out as if the order had come once.
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { StreamEvent } from '../../worker/contract/event-stream.ts'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import { deliberateDeath } from './sync-wire.ts'
import { credits, generationOf, givenTurn, inside, openStream, partsOf, readEvents, recordOf, textIn, untilEnded, words } from './turns.ts'
import { until } from './until.ts'
import { isStored, saying, vendor } from './vendor.ts'

afterEach(() => vi.unstubAllGlobals())

const day = 20_000
const reserved = { kind: 'reserve', credits, day }
const settled = [reserved, { kind: 'settle', credits: 0, day }]
const released = [{ kind: 'release', credits: -credits, day }, reserved]

const never = () => new Promise<never>(() => undefined)

describe('a vendor', () => {
  test('is asked before anything is stored, once, and the order is stored although nothing is heard', async () => {
    const order = await givenTurn('hello', { untitled: false })
    const asked = await inside(order, async (generation, state) => {
      generation.reachGateway()
      const heard = vendor(state, never)
      await Promise.all([generation.ensure(order), generation.ensure(order)])
      await generation.ensure(order)
      expect(isStored(state)).toBe(true)
      return heard.map(({ isStored }) => isStored)
    })
    expect(asked).toEqual([false])
    await generationOf(order).stop(order.generationId, order.userId)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: released })
  })

  test('that answers at once is heard by readers from the first chunk on, and the order stands before its words', async () => {
    const order = await givenTurn('hello', { untitled: false })
    const reading = openStream(order)
    await inside(order, async (generation, state) => {
      generation.reachGateway()
      vendor(state, async () => saying('Hi there'))
      await generation.ensure(order)
    })
    const events = await readEvents(await reading)
    expect(events.flatMap((event) => (event.type === 'chunk' ? [event.id] : []))).toEqual(events.slice(0, -1).map((_, index) => index + 1))
    expect(textIn(partsOf(events))).toBe('Hi there')
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: settled, generation: { status: 'completed' } })
  })

  test('of an answer with tools is asked when the order is stored', async () => {
    const order = await givenTurn('hello', { mode: 'search', untitled: false })
    const asked = await inside(order, async (generation, state) => {
      generation.reachGateway()
      const heard = vendor(state, never)
      await generation.ensure(order)
      await until(() => heard.length, Boolean, 'a question')
      return heard.map(({ isStored }) => isStored)
    })
    expect(asked).toEqual([true])
    await generationOf(order).stop(order.generationId, order.userId)
    await untilEnded(order)
  })
})

describe('an object that dies when the vendor was asked and nothing is stored', () => {
  /** Dies in the very call. */
  const dieAsking = (order: TurnOrder) =>
    inside(order, async (generation, state) => {
      generation.reachGateway()
      vendor(state, () => {
        state.abort(deliberateDeath)
        return never()
      })
      await generation.ensure(order)
    })

  test('fails who ordered; ordered again it answers from the beginning, and is paid once', async () => {
    const order = await givenTurn('/demo chunks=5 delay=0', { untitled: false })
    await expect(dieAsking(order)).rejects.toThrow()
    vi.unstubAllGlobals()
    expect(await inside(order, (_generation, state) => isStored(state))).toBe(false)
    await generationOf(order).ensure(order)
    await untilEnded(order)
    const { answer, ...record } = await recordOf(order)
    expect(record).toMatchObject({ answers: 1, ledger: settled, usage: { credits }, generation: { status: 'completed' } })
    expect(textIn(answer?.parts ?? [])).toBe(words(5))
  })

  test('lets nobody hear of it: who waited comes back to the second attempt alone', async () => {
    const order = await givenTurn('/demo chunks=5 delay=0', { untitled: false })
    const heard: StreamEvent[] = []
    const note = (events: readonly StreamEvent[]) => heard.push(...events) < 0
    const waiting = openStream(order).then(
      (response) =>
        readEvents(response, note).then(
          () => 'ended',
          () => 'broken off',
        ),
      () => 'broken off',
    )
    await expect(dieAsking(order)).rejects.toThrow()
    expect([await waiting, heard]).toEqual(['broken off', []])
    vi.unstubAllGlobals()
    const again = openStream(order)
    await generationOf(order).ensure(order)
    const events = await readEvents(await again)
    await untilEnded(order)
    expect(partsOf(events)).toEqual((await recordOf(order)).answer?.parts)
  })

  test.each([
    [
      'stopped before it is ordered again, it is',
      (order: TurnOrder) => generationOf(order).stop(order.generationId, order.userId),
      'stopped',
    ],
    ['found by the tidying job, it is', (order: TurnOrder) => generationOf(order).recover(order.generationId, order.userId), 'interrupted'],
  ] as const)('%s %3$s, and free', async (_who, comes, status) => {
    const order = await givenTurn('/demo chunks=5 delay=0', { untitled: false })
    await expect(dieAsking(order)).rejects.toThrow()
    vi.unstubAllGlobals()
    await comes(order)
    await untilEnded(order)
    await generationOf(order).ensure(order)
    expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: released, generation: { status }, usage: { credits: 0 } })
  })
})

test('stopped between asking and storing, the vendor is broken off, and the answer is free', async () => {
  const order = await givenTurn('hello', { untitled: false })
  const [asked] = await inside(order, async (generation, state) => {
    generation.reachGateway()
    const stopped = Promise.withResolvers<void>()
    const heard = vendor(state, () => {
      stopped.resolve(generation.stop(order.generationId, order.userId))
      return never()
    })
    await Promise.all([generation.ensure(order), stopped.promise])
    return heard.map(({ isStored, signal }) => ({ isStored, isBrokenOff: signal?.aborted }))
  })
  expect(asked).toEqual({ isStored: false, isBrokenOff: true })
  await untilEnded(order)
  expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: released, generation: { status: 'stopped' } })
})
