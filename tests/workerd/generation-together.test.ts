// Several answers of one person in the object that writes them all: none is another's business, and what one object cannot know, the record says.

import { describe, expect, test } from 'vitest'
import { streamAnswer } from '../../worker/chat/read-stream.ts'
import { segmentFlushMs } from '../../worker/contract/limits.ts'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import { handOver } from '../../worker/db/hand-over.ts'
import { newId } from '../../worker/db/new-id.ts'
import { contentDb } from '../../worker/db/shards.ts'
import {
  ageLog,
  bindings,
  evict,
  generationOf,
  givenTurn,
  inside,
  kill,
  logRowsOf,
  openStream,
  readEvents,
  readSession,
  recordOf,
  ringAlarm,
  settledOf,
  textIn,
  untilEnded,
  untilSettled,
  words,
} from './turns.ts'
import { until } from './until.ts'

const route = ({ generationId }: TurnOrder) => new Request(`https://parley.test/api/thread/any/stream?generation=${generationId}`)
const ended = async (order: TurnOrder) => (await recordOf(order)).answer?.metadata.ending
const tablesAndAlarm = (order: TurnOrder) =>
  inside(order, async (_generation, { storage }) => [
    [...storage.sql.exec("select 1 from sqlite_master where name in ('answerTurn', 'answerSegment')")].length,
    await storage.getAlarm(),
  ])

/** Two turns of one person, both being written, and the words of both already stored. */
async function twoAtOnce(): Promise<readonly [TurnOrder, TurnOrder]> {
  const one = await givenTurn('/demo chunks=5000 delay=2')
  const other = await givenTurn('/demo chunks=5000 delay=2', { by: one })
  for (const order of [one, other]) await generationOf(order).ensure(order)
  const isStored = () =>
    inside(one, (_generation, { storage }) => [...storage.sql.exec('select distinct generationId from answerSegment')].length === 2)
  await until(isStored, Boolean, 'words of both')
  return [one, other]
}

describe('two answers at once', () => {
  test('are stopped each for itself, and read each for itself', async () => {
    const [one, other] = await twoAtOnce()
    await generationOf(one).stop(one.generationId, one.userId)
    await untilEnded(one)
    const seen = await readEvents(await openStream(other), (events) => events.length > 300)
    expect(seen.at(-1)?.type).toBe('chunk')
    expect((await readEvents(await openStream(one))).at(-1)).toEqual({ type: 'end', ending: 'stopped' })
    expect((await recordOf(other)).generation).toMatchObject({ status: 'open' })
    await generationOf(other).stop(other.generationId, other.userId)
    await untilEnded(other)
    expect([await ended(one), await ended(other)]).toEqual(['stopped', 'stopped'])
  })

  test('die together, and one alarm finds both: what was stored of each is kept and paid', async () => {
    const [one, other] = await twoAtOnce()
    await kill(one)
    expect(await ringAlarm(one)).toBe(true)
    for (const order of [one, other]) {
      const { answer, ledger } = await recordOf(order)
      expect(answer?.metadata).toMatchObject({ ending: 'interrupted', credits: 3 })
      expect(words(5000).startsWith(textIn(answer?.parts ?? []))).toBe(true)
      expect(ledger.map(({ kind }) => kind)).toEqual(['reserve', 'settle'])
    }
  })

  test('one whose ending the record refuses for now is settled by the alarm that watches over the other', async () => {
    const [one, other] = await twoAtOnce()
    await inside(one, ({ faults }) => void faults.push('lost'))
    await generationOf(one).stop(one.generationId, one.userId)
    expect((await recordOf(one)).generation).toMatchObject({ status: 'open' })
    expect(await ringAlarm(one)).toBe(true)
    expect([await ended(one), (await recordOf(other)).generation?.status]).toEqual(['stopped', 'open'])
    // It rings again for the other.
    expect(await inside(one, (_generation, { storage }) => storage.getAlarm())).not.toBeNull()
    await generationOf(other).stop(other.generationId, other.userId)
  })
})

describe('one answer after another', () => {
  test('can be read as long as the last; all logs go together, and in the end the object', async () => {
    const one = await givenTurn('/demo chunks=10 delay=0')
    const other = await givenTurn('/demo chunks=20 delay=0', { by: one })
    for (const order of [one, other]) {
      await generationOf(order).ensure(order)
      await untilEnded(order)
    }
    await untilSettled(one, 2)
    expect((await readEvents(await openStream(one))).at(-1)).toEqual({ type: 'end', ending: 'completed' })
    await ageLog(one)
    await evict(one)
    await ringAlarm(one)
    expect(await settledOf(one)).toHaveLength(2)
    await ageLog(other)
    await ringAlarm(one)
    expect(await logRowsOf(one)).toEqual([])
    // The next one finds the object, and its tables.
    const next = await givenTurn('/demo chunks=3 delay=0', { by: one })
    await generationOf(next).ensure(next)
    await untilEnded(next)
    expect(textIn((await recordOf(next)).answer?.parts ?? [])).toBe(words(3))
    await untilSettled(one, 1)
    await ageLog(next)
    for (let ringing = 0; ringing < 2; ringing++) await ringAlarm(one)
    expect(await tablesAndAlarm(one)).toEqual([0, null])
  })

  test('is kept for a while, not for ever: of many, the old go one by one', async () => {
    const one = await givenTurn('/demo chunks=1 delay=0')
    await generationOf(one).ensure(one)
    await untilSettled(one, 1)
    await inside(one, (_generation, { storage }) => {
      const copy = (id: string, ageMs: number) =>
        storage.sql.exec(
          'insert into answerTurn select ?, turn, ended, attempts, settledAtMs - ? from answerTurn where generationId = ?',
          id,
          ageMs,
          one.generationId,
        )
      for (let number = 0; number < 100; number++) copy(`old-${number}`, 11 * 60 * 1000)
      storage.sql.exec("insert into answerSegment select 'old-1', fromChunk, toChunk, lines from answerSegment")
      copy('young', 9 * 60 * 1000)
    })
    const next = await givenTurn('/demo chunks=1 delay=0', { by: one })
    await generationOf(next).ensure(next)
    await until(
      () => settledOf(one),
      (ids) => ids.includes(next.generationId),
      'settled',
    )
    expect(await settledOf(one)).toEqual([one.generationId, next.generationId, 'young'].sort())
    expect(
      await inside(one, (_generation, { storage }) => [...storage.sql.exec("select 1 from answerSegment where generationId = 'old-1'")]),
    ).toEqual([])
  })
})

describe('an answer that is written elsewhere', () => {
  test('of a guest who has become an account: its reader is led there, and so is who stops it', async () => {
    const order = await givenTurn('/demo chunks=5000 delay=2')
    await generationOf(order).ensure(order)
    // With another content database than the guest.
    const asked = { threadId: order.threadId, userId: newId() }
    await handOver(bindings, { guestId: order.userId, accountId: asked.userId }, Date.now())
    const events = await readEvents(await streamAnswer(bindings, route(order), { ...asked, ...readSession }), (seen) => seen.length > 50)
    expect(events[0]).toMatchObject({ type: 'chunk', id: 1 })
    await generationOf(order).stop(order.generationId, asked.userId)
    await untilEnded(order)
    const answer = contentDb(bindings, asked.userId).prepare('select userId from message where id = ?').bind(order.generationId)
    expect(await answer.first('userId')).toBe(asked.userId)
  })
})

test('what nobody ordered leaves nothing behind, neither on the disk nor in memory', async () => {
  const order = { userId: 'somebody-who-asked-nothing' } as TurnOrder
  for (let number = 0; number < 20; number++) {
    await generationOf(order).stop(`made-up-${number}`, order.userId)
    await generationOf(order).recover(`made-up-${number}`, order.userId)
  }
  await new Promise((resolve) => setTimeout(resolve, segmentFlushMs))
  expect(await tablesAndAlarm(order)).toEqual([0, null])
})
