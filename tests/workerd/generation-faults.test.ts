// Failures between any two steps: every turn ends, stored content stays, and nothing is charged twice.

import { describe, expect, test } from 'vitest'
import { segmentFlushBytes, segmentFlushMs } from '../../worker/contract/limits.ts'
import { insert, messageRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import type { BatchFault } from './faulty-generation.ts'
import {
  ageLog,
  credits,
  evict,
  fireAlarm,
  generationOf,
  givenTurn,
  inside,
  kill,
  openStream,
  partsOf,
  readEvents,
  recordOf,
  tablesAndAlarm,
  textIn,
  untilEnded,
  untilSettled,
  untilWatched,
  words,
} from './turns.ts'
import { until } from './until.ts'

const day = 20_000
const reserved = { kind: 'reserve', credits, day }
const settled = [reserved, { kind: 'settle', credits: 0, day }]
const released = [{ kind: 'release', credits: -credits, day }, reserved].sort((a, b) => (a.kind < b.kind ? -1 : 1))

describe('an object that dies during an answer', () => {
  test('[G4] is found by its alarm: stored content is kept and charged, and the ending is interrupted', async () => {
    const order = await givenTurn('/demo chunks=5000 delay=2')
    await generationOf(order).ensure(order)
    // After the first flush: content that a reader has seen before it may be lost.
    const seen = await readEvents(await openStream(order), (events) => events.length > 200)
    await untilWatched(order)
    await kill(order)
    expect(await fireAlarm(order)).toBe(true)
    const record = await recordOf(order)
    expect(record).toMatchObject({
      thread: { status: 'ready', streamId: null, headId: order.generationId },
      generation: { status: 'interrupted' },
      ledger: settled,
      usage: { credits },
      answers: 1,
      answer: { metadata: { ending: 'interrupted', credits } },
    })
    const text = textIn(record.answer?.parts ?? [])
    expect(words(5000).startsWith(text)).toBe(true)
    expect(text.length).toBeGreaterThan(textIn(partsOf(seen)).length / 4)
    const log = await readEvents(await openStream(order))
    expect(log.at(-1)).toEqual({ type: 'end', ending: 'interrupted' })
    expect(partsOf(log)).toEqual(record.answer?.parts)
  })

  test('is free if nothing was stored', async () => {
    const order = await givenTurn('/demo silent=start')
    await generationOf(order).ensure(order)
    await untilWatched(order)
    await kill(order)
    expect(await fireAlarm(order)).toBe(true)
    expect(await recordOf(order)).toMatchObject({
      generation: { status: 'interrupted' },
      ledger: released,
      usage: { credits: 0 },
      answers: 1,
      answer: { parts: [] },
    })
  })

  test.each([
    ['a reader', (order: Parameters<typeof openStream>[0]) => openStream(order).then((response) => readEvents(response))],
    ['the same order again', (order: Awaited<ReturnType<typeof givenTurn>>) => generationOf(order).ensure(order)],
    ['the tidying job', (order: Awaited<ReturnType<typeof givenTurn>>) => generationOf(order).recover(order.generationId, order.userId)],
  ] as const)('is found by %s before its alarm fires', async (_who, comes) => {
    const order = await givenTurn('/demo chunks=5000 delay=2')
    await generationOf(order).ensure(order)
    await readEvents(await openStream(order), (events) => events.length > 200)
    await kill(order)
    await comes(order)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({
      thread: { status: 'ready' },
      generation: { status: 'interrupted' },
      ledger: settled,
      answers: 1,
    })
  })

  test('whose order never arrived is ended by the cleanup job, for free', async () => {
    const order = await givenTurn('/demo chunks=3')
    await generationOf(order).recover(order.generationId, order.userId)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({
      thread: { status: 'ready' },
      generation: { status: 'interrupted' },
      ledger: released,
      answers: 1,
    })
  })

  test('is left alone by the cleanup job while it runs', async () => {
    const order = await givenTurn('/demo chunks=60 delay=3')
    await generationOf(order).ensure(order)
    await generationOf(order).recover(order.generationId, order.userId)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
  })
})

test('a message with the id of the answer does not prevent the end of the turn', async () => {
  const order = await givenTurn('/demo chunks=3 delay=0')
  const other = await givenTurn('another thread')
  await insert(content, 'message', messageRow(other.userId, other.threadId, { id: order.generationId }))
  await generationOf(order).ensure(order)
  await untilEnded(order)
  expect(await recordOf(order)).toMatchObject({
    thread: { status: 'ready', streamId: null },
    generation: { status: 'completed' },
    ledger: settled,
    answers: 1,
  })
})

describe('a failing D1', () => {
  const cases: [string, BatchFault[]][] = [
    ['before the commit', ['lost']],
    ['after the commit', ['unheard']],
    ['again and again', ['lost', 'lost', 'unheard']],
  ]
  test.each(cases)('%s is retried until the ending is stored, once', async (_when, faults) => {
    const order = await givenTurn('/demo chunks=10 delay=0')
    await inside(order, (generation) => void generation.faults.push(...faults))
    await generationOf(order).ensure(order)
    expect((await readEvents(await openStream(order))).at(-1)).toEqual({ type: 'end', ending: 'completed' })
    await inside(order, (generation) => until(() => generation.faults.length < faults.length, Boolean, 'a fault met'))
    while ((await inside(order, (generation) => generation.faults.length)) > 0) await fireAlarm(order)
    await fireAlarm(order)
    const record = await recordOf(order)
    expect(record).toMatchObject({
      thread: { status: 'ready' },
      generation: { status: 'completed' },
      ledger: settled,
      usage: { credits },
      answers: 1,
    })
    expect(textIn(record.answer?.parts ?? [])).toBe(words(10))
    expect(await inside(order, (generation) => generation.committed.count)).toBe(1)
  })

  test.each<BatchFault>(['lost', 'unheard'])(
    'and an object that dies after it (%s): the next one ends the answer in the same way',
    async (fault) => {
      const order = await givenTurn('/demo chunks=10 delay=0')
      await inside(order, (generation) => void generation.faults.push(fault))
      await generationOf(order).ensure(order)
      await inside(order, (generation) => until(() => generation.faults.length === 0, Boolean, 'all faults met'))
      await kill(order)
      await fireAlarm(order)
      const record = await recordOf(order)
      expect(record).toMatchObject({ generation: { status: 'completed' }, ledger: settled, usage: { credits }, answers: 1 })
      expect(textIn(record.answer?.parts ?? [])).toBe(words(10))
    },
  )
})

// Concurrent: each waits for the full timeout of an attempt.
describe.concurrent('a D1 that does not respond to an ending', () => {
  const once = {
    thread: { status: 'ready', streamId: null },
    generation: { status: 'completed' },
    ledger: settled,
    usage: { credits },
    answers: 1,
  }

  test.each<[string, BatchFault[]]>([
    ['and never took it', ['stuck']],
    ['although it took it', ['stuck-after']],
  ])('%s is retried by the same object', async (_how, faults) => {
    const order = await givenTurn('/demo chunks=10 delay=0')
    await inside(order, (generation) => void generation.faults.push(...faults))
    await generationOf(order).ensure(order)
    await untilSettled(order)
    expect(await recordOf(order)).toMatchObject(once)
    expect(textIn((await recordOf(order)).answer?.parts ?? [])).toBe(words(10))
    expect(await inside(order, ({ stuck }) => stuck.count)).toBe(faults.length)
  })

  test.each<[string, BatchFault[]]>([
    ['after another has succeeded', ['held']],
    ['while another hangs', ['held', 'stuck']],
  ])('that commits it late, %s: it is one ending', async (_when, faults) => {
    const isFirst = faults.length > 1
    const order = await givenTurn('/demo chunks=10 delay=0')
    await inside(order, (generation) => void generation.faults.push(...faults))
    await generationOf(order).ensure(order)
    const letGo = () => inside(order, ({ held }) => held[0]?.letGo())
    if (isFirst) {
      await until(
        () => inside(order, ({ stuck }) => stuck.count),
        (count) => count === 1,
        'another attempt',
      )
      expect(await letGo()).toBe('committed')
    }
    await untilSettled(order)
    const before = await recordOf(order)
    if (!isFirst) expect(await letGo()).toBe('refused')
    expect(await recordOf(order)).toEqual(before)
    expect(before).toMatchObject(once)
    expect(await inside(order, ({ committed }) => committed.count)).toBe(1)
  })
})

test('killed at any moment, a turn ends once, complete or cut, and its charge matches the stored content', async () => {
  for (let delayMs = 0; delayMs < 60; delayMs += 4) {
    const order = await givenTurn('/demo chunks=20 delay=1')
    const ordered = generationOf(order)
      .ensure(order)
      .catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await kill(order)
    await ordered
    // Like the next caller: the user's other object repeats the order for every turn that is open in D1.
    await generationOf(order).ensure(order)
    await untilEnded(order)
    const { answers, answer, ledger, generation, usage, thread } = await recordOf(order)
    const text = textIn(answer?.parts ?? [])
    expect({ answers, thread: thread?.status }).toEqual({ answers: 1, thread: 'ready' })
    expect(ledger).toEqual(text === '' ? released : settled)
    expect(usage?.credits).toBe(text === '' ? 0 : credits)
    expect(words(20).startsWith(text)).toBe(true)
    if (generation?.status === 'completed') expect(text).toBe(words(20))
    else expect(generation?.status).toBe('interrupted')
  }
})

test('[G5] concurrent stop and finish produce one ending', async () => {
  for (let delayMs = 0; delayMs < 12; delayMs++) {
    const order = await givenTurn('/demo chunks=5 delay=1')
    const generation = generationOf(order)
    await generation.ensure(order)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await Promise.all([generation.stop(order.generationId, order.userId), generation.stop(order.generationId, order.userId)])
    await untilEnded(order)
    const { answers, ledger, generation: row } = await recordOf(order)
    expect(answers).toBe(1)
    expect(ledger).toHaveLength(2)
    expect(['stopped', 'completed']).toContain(row?.status)
  }
})

test('[G2] [G6] the log is deleted when every client has the stored answer', async () => {
  const order = await givenTurn('/demo chunks=10 delay=0')
  await generationOf(order).ensure(order)
  await untilEnded(order)
  await untilSettled(order)
  await ageLog(order)
  // The stored time counts, read again by the next instance.
  await evict(order)
  await fireAlarm(order)
  expect(await tablesAndAlarm(order)).toEqual([0, null])
  expect((await openStream({ ...order, waitMs: 0 })).status).toBe(404)
  expect(await recordOf(order)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
})

test('[G7] an answer is stored in few rows: by time or by size, whichever comes later', async () => {
  const order = await givenTurn('/demo chunks=300 delay=3')
  const startedAtMs = performance.now()
  await generationOf(order).ensure(order)
  await untilEnded(order)
  const elapsedMs = performance.now() - startedAtMs
  const { segments, chars } = await inside(order, (_generation, state) => {
    const row = state.storage.sql.exec('select count(*) segments, sum(length(lines)) chars from segment').one()
    return { segments: Number(row.segments), chars: Number(row.chars) }
  })
  expect(segments).toBeLessThanOrEqual(1 + elapsedMs / segmentFlushMs + chars / segmentFlushBytes)
})
