// Between asking the vendor and storing the order nothing is stored, so whatever happens there has to come out as if the order had come once.
import { afterEach, describe, expect, test, vi } from 'vitest'
import { generationRequest } from '../../worker/chat/stream-request.ts'
import type { StreamEvent } from '../../worker/contract/event-stream.ts'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import type { FaultyGeneration } from './faulty-generation.ts'
import { deliberateDeath } from './sync-wire.ts'
import {
  credits,
  generationOf,
  givenTurn,
  inside,
  kill,
  openStream,
  partsOf,
  readEvents,
  recordOf,
  textIn,
  untilEnded,
  words,
} from './turns.ts'
import { until } from './until.ts'
import { isStored, saying, vendor } from './vendor.ts'

afterEach(() => vi.unstubAllGlobals())

const day = 20_000
const reserved = { kind: 'reserve', credits, day }
const settled = [reserved, { kind: 'settle', credits: 0, day }]
const released = [{ kind: 'release', credits: -credits, day }, reserved]

const never = () => new Promise<never>(() => undefined)

/** As by an alarm: it may have been here before. */
const repeated = (order: TurnOrder): TurnOrder => ({ ...order, isFirst: false })

/** From here on the storage of this object says that it has kept what was written when it is told to, and no sooner. */
function holdStorage(state: DurableObjectState): () => void {
  const held = Promise.withResolvers<void>()
  state.storage.sync = () => held.promise
  return held.resolve
}

/** What a reader hears, and how that ends. */
function listen(response: Promise<Response>): { readonly heard: StreamEvent[]; readonly ended: Promise<'whole' | 'broken off'> } {
  const heard: StreamEvent[] = []
  const note = (events: readonly StreamEvent[]) => {
    heard.splice(0, heard.length, ...events)
    return false
  }
  const ended = response
    .then((found) => readEvents(found, note))
    .then(
      () => 'whole' as const,
      () => 'broken off' as const,
    )
  return { heard, ended }
}

/** Of a reader in the object itself: between what it is told and when it hears of it stands nothing. */
const listenInside = (generation: FaultyGeneration, { generationId, userId, threadId }: TurnOrder) =>
  listen(generation.fetch(generationRequest({ generationId, userId, threadId, after: 0 }, new AbortController().signal)))

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

  test.each([
    ['the same order', (generation: FaultyGeneration, order: TurnOrder) => generation.ensure(repeated(order))],
    ['the tidying job', (generation: FaultyGeneration, { generationId, userId }: TurnOrder) => generation.recover(generationId, userId)],
  ] as const)('is asked first also when %s comes before the order is stored, which returns when it is', async (_who, comes) => {
    const order = await givenTurn('hello', { untitled: false })
    const seen = await inside(order, async (generation, state) => {
      generation.reachGateway()
      const heard = vendor(state, never)
      const first = generation.ensure(order)
      const before = isStored(state)
      await comes(generation, order)
      const after = isStored(state)
      await first
      return { before, after, asked: heard.map(({ isStored }) => isStored) }
    })
    expect(seen).toEqual({ before: false, after: true, asked: [false] })
    await generationOf(order).stop(order.generationId, order.userId)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: released, generation: { status: 'stopped' } })
  })

  test('that answers at once is heard when the order is known to be kept, and then from the first chunk on', async () => {
    const order = await givenTurn('hello', { untitled: false })
    const { before, events } = await inside(order, async (generation, state) => {
      generation.reachGateway()
      vendor(state, async () => saying('Hi there'))
      const keep = holdStorage(state)
      const { heard, ended } = listenInside(generation, order)
      await generation.ensure(order)
      // All of it is said, and known to the record.
      await until(() => generation.committed.count, Boolean, 'the end of the turn')
      const before = [...heard]
      keep()
      expect(await ended).toBe('whole')
      return { before, events: heard }
    })
    expect(before).toEqual([])
    expect(events.flatMap((event) => (event.type === 'chunk' ? [event.id] : []))).toEqual(events.slice(0, -1).map((_, index) => index + 1))
    expect(textIn(partsOf(events))).toBe('Hi there')
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: settled, generation: { status: 'completed' } })
  })

  test.each([
    ['of an answer with tools', 'search', (order: TurnOrder) => order],
    ['of an order that may have been here before', 'chat', repeated],
  ] as const)('%s is asked when the order is stored', async (_which, mode, given) => {
    const order = given(await givenTurn('hello', { mode, untitled: false }))
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
    await generationOf(order).ensure(repeated(order))
    await untilEnded(order)
    const { answer, ...record } = await recordOf(order)
    expect(record).toMatchObject({ answers: 1, ledger: settled, usage: { credits }, generation: { status: 'completed' } })
    expect(textIn(answer?.parts ?? [])).toBe(words(5))
  })

  test('lets nobody hear of it: who waited comes back to the second attempt alone', async () => {
    const order = await givenTurn('/demo chunks=5 delay=0', { untitled: false })
    const { heard, ended } = listen(openStream(order))
    await expect(dieAsking(order)).rejects.toThrow()
    expect([await ended, heard]).toEqual(['broken off', []])
    vi.unstubAllGlobals()
    const again = openStream(order)
    await generationOf(order).ensure(repeated(order))
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
    await generationOf(order).ensure(repeated(order))
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

test('killed when it has said words and the storage has not said that it kept the order, nobody has heard of them', async () => {
  const order = await givenTurn('/demo chunks=5000 delay=2', { untitled: false })
  const { heard, ended } = listen(openStream(order))
  await inside(order, async (generation, state) => {
    holdStorage(state)
    await generation.ensure(order)
    const segments = () => state.storage.sql.exec('select count(*) n from answerSegment').one().n
    await until(segments, (count) => Number(count) > 1, 'words in the log')
  })
  await kill(order)
  expect([await ended, heard]).toEqual(['broken off', []])
  await generationOf(order).ensure(repeated(order))
  await untilEnded(order)
  expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: settled, generation: { status: 'interrupted' } })
})

describe('a repeated order, while the storage has not said that it kept it,', () => {
  /** What the vendor was asked by the time that the storage had it, and afterwards. */
  const ordered = (order: TurnOrder, meanwhile: (generation: FaultyGeneration, state: DurableObjectState) => Promise<unknown>) =>
    inside(order, async (generation, state) => {
      generation.reachGateway()
      const asked = vendor(state, async () => saying('Hi there'))
      const keep = holdStorage(state)
      const first = generation.ensure(repeated(order))
      await meanwhile(generation, state)
      const before = asked.length
      keep()
      await first
      return { before, asked }
    })

  test('asks nobody, and is not taken for one that was left behind', async () => {
    const order = await givenTurn('hello', { untitled: false })
    const others: Promise<unknown>[] = []
    const reading = openStream(order)
    const { before, asked } = await ordered(order, async (generation) => {
      others.push(generation.ensure(repeated(order)), generation.recover(order.generationId, order.userId))
      others.push(listenInside(generation, order).ended)
      await generation.alarm()
    })
    await Promise.all(others)
    expect([before, asked.length]).toEqual([0, 1])
    expect(textIn(partsOf(await readEvents(await reading)))).toBe('Hi there')
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: settled, generation: { status: 'completed' } })
  })

  test('can be stopped, and then the vendor is never asked', async () => {
    const order = await givenTurn('hello', { untitled: false })
    const { before, asked } = await ordered(order, (generation) => generation.stop(order.generationId, order.userId))
    await untilEnded(order)
    expect([before, asked.length]).toEqual([0, 0])
    expect(await recordOf(order)).toMatchObject({ answers: 1, ledger: released, generation: { status: 'stopped' } })
  })
})
