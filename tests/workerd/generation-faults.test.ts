// Failures between any two steps: every turn ends, stored content stays, and nothing is charged twice.

import { describe, expect, test } from 'vitest'
import { segmentFlushBytes } from '../../worker/contract/limits.ts'
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
    const turn = await givenTurn('/demo chunks=5000 delay=10')
    await generationOf(turn).start(turn)
    // After the first flush: content that a reader has seen before it may be lost.
    const seen = await readEvents(await openStream(turn), (events) => events.length > 200)
    await untilWatched(turn)
    await kill(turn)
    expect(await fireAlarm(turn)).toBe(true)
    const record = await recordOf(turn)
    expect(record).toMatchObject({
      thread: { status: 'ready', streamId: null, headId: turn.generationId },
      generation: { status: 'interrupted' },
      ledger: settled,
      usage: { credits },
      answers: 1,
      answer: { metadata: { ending: 'interrupted', credits } },
    })
    const text = textIn(record.answer?.parts ?? [])
    expect(words(5000).startsWith(text)).toBe(true)
    expect(text.length).toBeGreaterThan(textIn(partsOf(seen)).length / 4)
    const log = await readEvents(await openStream(turn))
    expect(log.at(-1)).toEqual({ type: 'end', ending: 'interrupted' })
    expect(partsOf(log)).toEqual(record.answer?.parts)
  })

  test('is free if nothing was stored', async () => {
    const turn = await givenTurn('/demo silent=start')
    await generationOf(turn).start(turn)
    await untilWatched(turn)
    await kill(turn)
    expect(await fireAlarm(turn)).toBe(true)
    expect(await recordOf(turn)).toMatchObject({
      generation: { status: 'interrupted' },
      ledger: released,
      usage: { credits: 0 },
      answers: 1,
      answer: { parts: [] },
    })
  })

  test.each([
    ['a reader', (turn: Parameters<typeof openStream>[0]) => openStream(turn).then((response) => readEvents(response))],
    ['the same turn again', (turn: Awaited<ReturnType<typeof givenTurn>>) => generationOf(turn).start(turn)],
    ['the cleanup job', (turn: Awaited<ReturnType<typeof givenTurn>>) => generationOf(turn).recover(turn.generationId, turn.userId)],
  ] as const)('is found by %s before its alarm fires', async (_who, recover) => {
    const turn = await givenTurn('/demo chunks=5000 delay=10')
    await generationOf(turn).start(turn)
    await readEvents(await openStream(turn), (events) => events.length > 200)
    await kill(turn)
    await recover(turn)
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({
      thread: { status: 'ready' },
      generation: { status: 'interrupted' },
      ledger: settled,
      answers: 1,
    })
  })

  test('whose start command never arrived is ended by the cleanup job, for free', async () => {
    const turn = await givenTurn('/demo chunks=3')
    await generationOf(turn).recover(turn.generationId, turn.userId)
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({
      thread: { status: 'ready' },
      generation: { status: 'interrupted' },
      ledger: released,
      answers: 1,
    })
  })

  test('is left alone by the cleanup job while it runs', async () => {
    const turn = await givenTurn('/demo chunks=60 delay=3')
    await generationOf(turn).start(turn)
    await generationOf(turn).recover(turn.generationId, turn.userId)
    await untilEnded(turn)
    expect(await recordOf(turn)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
  })
})

test('a message with the id of the answer does not prevent the end of the turn', async () => {
  const turn = await givenTurn('/demo chunks=3 delay=0')
  const other = await givenTurn('another thread')
  // From before guards refused the id.
  const message = messageRow(other.userId, other.threadId)
  await insert(content, 'message', message)
  await content
    .prepare('update message set id = ? where id = ?')
    .bind(turn.generationId, message.id ?? '')
    .run()
  await generationOf(turn).start(turn)
  await untilEnded(turn)
  expect(await recordOf(turn)).toMatchObject({
    thread: { status: 'ready', streamId: null },
    generation: { status: 'completed' },
    ledger: settled,
    answers: 1,
  })
  // The audit demands an answer in the thread of an ended turn.
  await content.prepare('delete from thread where id = ?').bind(turn.threadId).run()
})

describe('a failing D1', () => {
  const cases: [string, BatchFault[]][] = [
    ['before the commit', ['lost']],
    ['after the commit', ['response-lost']],
    ['again and again', ['lost', 'lost', 'response-lost']],
  ]
  test.each(cases)('%s is retried until the ending is stored, once', async (_when, faults) => {
    const turn = await givenTurn('/demo chunks=10 delay=0', { needsTitle: false })
    await inside(turn, (generation) => void generation.faults.push(...faults))
    await generationOf(turn).start(turn)
    expect((await readEvents(await openStream(turn))).at(-1)).toEqual({ type: 'end', ending: 'completed' })
    await inside(turn, (generation) => until(() => generation.faults.length < faults.length, Boolean, 'a fault met'))
    while ((await inside(turn, (generation) => generation.faults.length)) > 0) await fireAlarm(turn)
    await fireAlarm(turn)
    const record = await recordOf(turn)
    expect(record).toMatchObject({
      thread: { status: 'ready' },
      generation: { status: 'completed' },
      ledger: settled,
      usage: { credits },
      answers: 1,
    })
    expect(textIn(record.answer?.parts ?? [])).toBe(words(10))
    expect(await inside(turn, (generation) => generation.committed.count)).toBe(1)
  })

  test.each<BatchFault>(['lost', 'response-lost'])(
    'and an object that dies after it (%s): the next one ends the answer in the same way',
    async (fault) => {
      const turn = await givenTurn('/demo chunks=10 delay=0')
      await inside(turn, (generation) => void generation.faults.push(fault))
      await generationOf(turn).start(turn)
      await inside(turn, (generation) => until(() => generation.faults.length === 0, Boolean, 'all faults met'))
      await kill(turn)
      await fireAlarm(turn)
      const record = await recordOf(turn)
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
    const turn = await givenTurn('/demo chunks=10 delay=0')
    await inside(turn, (generation) => void generation.faults.push(...faults))
    await generationOf(turn).start(turn)
    await untilSettled(turn)
    expect(await recordOf(turn)).toMatchObject(once)
    expect(textIn((await recordOf(turn)).answer?.parts ?? [])).toBe(words(10))
    expect(await inside(turn, ({ stuck }) => stuck.count)).toBe(faults.length)
  })

  test.each<[string, BatchFault[]]>([
    ['after another has succeeded', ['held']],
    ['while another hangs', ['held', 'stuck']],
  ])('that commits it late, %s: it is one ending', async (_when, faults) => {
    const isFirst = faults.length > 1
    const turn = await givenTurn('/demo chunks=10 delay=0', { needsTitle: false })
    await inside(turn, (generation) => void generation.faults.push(...faults))
    await generationOf(turn).start(turn)
    const release = () => inside(turn, ({ held }) => held[0]?.release())
    if (isFirst) {
      await until(
        () => inside(turn, ({ stuck }) => stuck.count),
        (count) => count === 1,
        'another attempt',
      )
      expect(await release()).toBe('committed')
    }
    await untilSettled(turn)
    const before = await recordOf(turn)
    if (!isFirst) expect(await release()).toBe('refused')
    expect(await recordOf(turn)).toEqual(before)
    expect(before).toMatchObject(once)
    expect(await inside(turn, ({ committed }) => committed.count)).toBe(1)
  })
})

test('killed at any moment, a turn ends once, complete or cut, and its charge matches the stored content', async () => {
  for (let delayMs = 0; delayMs < 60; delayMs += 4) {
    const turn = await givenTurn('/demo chunks=20 delay=1')
    const started = generationOf(turn)
      .start(turn)
      .catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await kill(turn)
    await started
    // Like the next caller: the user's other object repeats the command for every turn that is open in D1.
    await generationOf(turn).start(turn)
    await untilEnded(turn)
    const { answers, answer, ledger, generation, usage, thread } = await recordOf(turn)
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
    const turn = await givenTurn('/demo chunks=5 delay=1')
    const generation = generationOf(turn)
    await generation.start(turn)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await Promise.all([generation.stop(turn.generationId, turn.userId), generation.stop(turn.generationId, turn.userId)])
    await untilEnded(turn)
    const { answers, ledger, generation: row } = await recordOf(turn)
    expect(answers).toBe(1)
    expect(ledger).toHaveLength(2)
    expect(['stopped', 'completed']).toContain(row?.status)
  }
})

test('[G2] [G6] the log is deleted when every client has the stored answer', async () => {
  const turn = await givenTurn('/demo chunks=10 delay=0', { needsTitle: false })
  await generationOf(turn).start(turn)
  await untilEnded(turn)
  await untilSettled(turn)
  await ageLog(turn)
  // The stored time counts, read again by the next instance.
  await evict(turn)
  await fireAlarm(turn)
  expect(await tablesAndAlarm(turn)).toEqual([0, null])
  expect((await openStream({ ...turn, waitMs: 0 })).status).toBe(404)
  expect(await recordOf(turn)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
})

test('[G7] an answer is stored in few rows, each at least half full', async () => {
  const turn = await givenTurn('/demo chunks=300 delay=3')
  await generationOf(turn).start(turn)
  await untilEnded(turn)
  const { segments, chars } = await inside(turn, (_generation, state) => {
    const row = state.storage.sql.exec('select count(*) segments, sum(length(lines)) chars from segment').one()
    return { segments: Number(row.segments), chars: Number(row.chars) }
  })
  expect(segments).toBeLessThanOrEqual(1 + (2 * chars) / segmentFlushBytes)
})
