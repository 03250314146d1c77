// What one answer may not do to another that is written in the same object, or is to come: what hangs, fails or ends stays its own affair.
import { describe, expect, test } from 'vitest'
import { generationHeartbeatMs } from '../../worker/contract/limits.ts'
import type { TurnOrder } from '../../worker/contract/turn.ts'
import type { FaultyGeneration } from './faulty-generation.ts'
import { generationOf, givenTurn, inside, kill, openStream, readEvents, recordOf, ringAlarm, untilEnded, untilWatched } from './turns.ts'
import { until } from './until.ts'

const long = '/demo chunks=5000 delay=2'
const alarmOf = (order: TurnOrder) => inside(order, (_generation, { storage }) => storage.getAlarm())
async function ringsIn(order: TurnOrder): Promise<number | null> {
  const atMs = await alarmOf(order)
  return atMs === null ? null : atMs - Date.now()
}
const storedOf = ({ generationId, ...order }: TurnOrder & { readonly userId: string }) =>
  inside({ generationId, ...order }, (_generation, { storage }) =>
    storage.sql.exec("select 1 from sqlite_master where name = 'answerTurn'").toArray().length === 0
      ? undefined
      : storage.sql.exec('select attempts, settledAtMs from answerTurn where generationId = ?', generationId).toArray()[0],
  )

type Gate = { readonly open: (how?: 'and fail') => void; readonly answered: Promise<void> }

/** From here on, what reads rows by `sql` in this object waits until its gate is opened. */
const holdReads = (order: TurnOrder, sql: string, gates: Gate[]) =>
  inside(order, (generation) => {
    const held = generation as unknown as { env: { readonly CONTENT_DB_2: D1Database } }
    const { CONTENT_DB_2: database } = held.env
    const heldStatement = (statement: D1PreparedStatement): D1PreparedStatement =>
      new Proxy(statement, {
        get(target, name) {
          if (name === 'bind') return (...values: unknown[]) => heldStatement(target.bind(...values))
          if (name !== 'first') return Reflect.get(target, name)
          return async () => {
            const answered = Promise.withResolvers<void>()
            await new Promise<void>((resolve, reject) => {
              const open = (how?: 'and fail') => (how ? reject(new Error('D1_ERROR: Network connection lost.')) : resolve())
              gates.push({ open, answered: answered.promise })
            })
            return target.first().finally(answered.resolve)
          }
        },
      })
    const prepare = (text: string) => (text.includes(sql) ? heldStatement(database.prepare(text)) : database.prepare(text))
    held.env = { ...held.env, CONTENT_DB_2: { prepare, batch: database.batch.bind(database) } as unknown as D1Database }
  })

/** The order must reach the object in which reads are held. */
const tell = (order: TurnOrder, what: (generation: FaultyGeneration) => Promise<void>) => inside(order, what)

describe('the one alarm of all', () => {
  test('asks the record again ever later when there is nothing else to watch', async () => {
    const order = await givenTurn('/demo chunks=1 delay=0')
    await inside(order, ({ faults }) => void faults.push(...Array.from({ length: 7 }, () => 'lost' as const)))
    await generationOf(order).ensure(order)
    const attempts = async () => Number((await storedOf(order))?.attempts)
    await until(attempts, (count) => count > 0, 'a first attempt')
    let ringsMs = 0
    while ((await attempts()) < 7) {
      const beforeMs = Date.now()
      await ringAlarm(order)
      ringsMs = ((await alarmOf(order)) ?? 0) - beforeMs
    }
    expect(ringsMs).toBeGreaterThan(6 * generationHeartbeatMs)
    await ringAlarm(order)
    expect(await recordOf(order)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
  })

  test('rings again for the others while the record says nothing about one', async () => {
    const one = await givenTurn(long)
    const other = await givenTurn(long, { by: one })
    for (const order of [one, other]) await generationOf(order).ensure(order)
    await untilWatched(one)
    await inside(one, ({ faults }) => void faults.push('lost', 'stuck'))
    await generationOf(one).stop(one.generationId, one.userId)
    // By itself, and this time nobody answers it.
    await until(
      () => inside(one, ({ stuck }) => stuck.count),
      (count) => count === 1,
      'an attempt that hangs',
    )
    await inside(one, ({ faults }) => void faults.push('lost'))
    await generationOf(other).stop(other.generationId, other.userId)
    await untilEnded(other)
    expect(await recordOf(other)).toMatchObject({ generation: { status: 'stopped' }, answers: 1 })
    await kill(one)
    await ringAlarm(one)
    expect(await recordOf(one)).toMatchObject({ generation: { status: 'stopped' }, answers: 1 })
  })

  test('rings soon for what is being written, also when another has just been settled', async () => {
    const one = await givenTurn(long)
    const other = await givenTurn(long, { by: one })
    // Watched from the beginning, both.
    for (const order of [one, other]) await generationOf(order).ensure(order)
    await generationOf(one).stop(one.generationId, one.userId)
    await until(
      () => storedOf(one),
      (row) => typeof row?.settledAtMs === 'number',
      'settled',
    )
    // In a call of its own: what follows the settling has happened.
    expect(await ringsIn(one)).toBeLessThanOrEqual(generationHeartbeatMs)
    await generationOf(other).stop(other.generationId, other.userId)
    await untilEnded(other)
  })

  test('rings soon for an answer that begins when all others are settled, and it was to ring much later', async () => {
    const one = await givenTurn('/demo chunks=1 delay=0')
    await generationOf(one).ensure(one)
    await until(
      () => ringsIn(one),
      (inMs) => inMs !== null && inMs > generationHeartbeatMs,
      'the alarm that forgets',
    )
    const other = await givenTurn(long, { by: one })
    await generationOf(other).ensure(other)
    await until(
      () => ringsIn(one),
      (inMs) => inMs !== null && inMs <= generationHeartbeatMs,
      'a heartbeat',
    )
    await generationOf(other).stop(other.generationId, other.userId)
    await untilEnded(other)
  })

  test('does for the others what it came for when it fails for one', async () => {
    const one = await givenTurn(long)
    const other = await givenTurn(long, { by: one })
    for (const order of [one, other]) await generationOf(order).ensure(order)
    await untilWatched(one)
    await kill(one)
    // A research whose order cannot be read any more.
    await inside(
      one,
      (_generation, { storage }) =>
        void storage.sql.exec(`update answerTurn set turn = json_set(turn, '$.research', 1) where generationId = ?`, one.generationId),
    )
    await kill(one)
    expect(await ringAlarm(one).catch(() => 'failed')).toBe(true)
    await untilEnded(other)
    expect(await recordOf(other)).toMatchObject({ generation: { status: 'interrupted' }, answers: 1 })
  })
})

describe('calls about one answer that cross', () => {
  test('one that fails does not part the others: the answer is written once, and nobody else is interrupted', async () => {
    const order = await givenTurn(long)
    const gates: Gate[] = []
    await holdReads(order, 'select threadId, parentId, modelId', gates)
    const { generationId, userId } = order
    const reading = (count: number) =>
      until(
        () => gates.length,
        (held) => held === count,
        `${count} reading`,
      )
    // One after the other: on a busy machine calls may come in another order than they were made in.
    const failing = tell(order, (generation) => generation.recover(generationId, userId)).catch(() => undefined)
    await reading(1)
    const late = tell(order, (generation) => generation.recover(generationId, userId)).catch((error: unknown) => error)
    await reading(2)
    await inside(order, () => gates[0]?.open('and fail'))
    await failing
    await generationOf(order).ensure(order)
    const events = readEvents(await openStream(order))
    await inside(order, () => gates[1]?.open())
    expect(await late).toBeUndefined()
    await generationOf(order).stop(generationId, userId)
    await untilEnded(order)
    expect((await events).at(-1)).toEqual({ type: 'end', ending: 'stopped' })
    expect(await recordOf(order)).toMatchObject({ generation: { status: 'stopped' }, answers: 1 })
  })

  test('an order that comes while the object empties itself is written as any other', async () => {
    const order = await givenTurn('/demo chunks=300 delay=1')
    const again = { ...order }
    await inside(order, (generation) => Promise.all([generation.alarm(), generation.ensure(again)]))
    await untilWatched(order)
    await ringAlarm(order)
    await untilEnded(order)
    expect(await recordOf(order)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
  })
})

describe('a reader who comes before the order', () => {
  test.each([
    ['says nothing', () => undefined],
    ['fails', (gate: Gate | undefined) => gate?.open('and fail')],
  ] as const)('hears it when it comes late and the record %s', async (_what, then) => {
    const order = await givenTurn('/demo chunks=3 delay=0')
    const gates: Gate[] = []
    await holdReads(order, 'select id generationId, writer', gates)
    const waiting = openStream(order)
    await until(
      () => gates.length,
      (count) => count === 1,
      'a look elsewhere',
    )
    await inside(order, () => then(gates[0]))
    await generationOf(order).ensure(order)
    expect((await readEvents(await waiting)).at(-1)).toEqual({ type: 'end', ending: 'completed' })
  })
})

test('readers of answers that do not exist do not have each other look again', async () => {
  const order = await givenTurn('/demo chunks=1 delay=0')
  await generationOf(order).ensure(order)
  await untilEnded(order)
  const gates: Gate[] = []
  await holdReads(order, 'select id generationId, writer', gates)
  const count = 30
  const waiting = Array.from({ length: count }, (_, index) =>
    openStream({ ...order, generationId: `nothing-of-test-${index}` }).catch(() => null),
  )
  await until(
    () => gates.length,
    (length) => length === count,
    'all looking elsewhere',
  )
  let looks = 0
  await inside(order, (_generation, { storage: { sql } }) => {
    const exec = sql.exec.bind(sql)
    sql.exec = (query, ...bindings) => {
      if (query.startsWith('select turn,')) looks += 1
      return exec(query, ...bindings)
    }
    for (const { open } of gates) open()
    return Promise.all(gates.map(({ answered }) => answered))
  })
  // In a call of its own: what follows the answers has happened, and looks are counted.
  await inside(order, (_generation, { storage: { sql } }) => void sql.exec('select turn, 1 from answerTurn'))
  expect(looks).toBeGreaterThan(0)
  expect(looks).toBeLessThan(count)
  await kill(order)
  await Promise.all(waiting)
})

test('what has ended is kept on the disk, and in no memory', async () => {
  const order = await givenTurn('/demo chunks=3 delay=0')
  await generationOf(order).ensure(order)
  await until(
    () => storedOf(order),
    (row) => row !== undefined && row.settledAtMs !== null,
    'settled',
  )
  await inside(
    order,
    (_generation, { storage }) =>
      void storage.sql.exec(
        `update answerTurn set turn = json_set(turn, '$.threadId', 'as-on-the-disk') where generationId = ?`,
        order.generationId,
      ),
  )
  expect((await openStream({ ...order, threadId: 'as-on-the-disk' })).status).toBe(200)
})

test('the release before, should it come back, finds nothing that it would take for one answer', async () => {
  const order = await givenTurn('/demo chunks=3 delay=0')
  await generationOf(order).ensure(order)
  await untilEnded(order)
  const names = () =>
    inside(order, (_generation, { storage }) => [...storage.sql.exec('select name from sqlite_master')].map(({ name }) => name))
  expect(await names()).toEqual(expect.arrayContaining(['answerTurn', 'answerSegment']))
  expect(await names()).not.toContain('turn')
})
