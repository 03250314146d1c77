// The `Generation` object of a turn: its alarm, overlapping calls, and its storage after the turn.
import { describe, expect, test } from 'vitest'
import { streamAnswer } from '../../worker/chat/turn/stream-request.ts'
import { generationHeartbeatMs } from '../../worker/contract/limits.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { linkGuest } from '../../worker/db/account-linking.ts'
import { newId } from '../../worker/db/new-id.ts'
import { contentDb } from '../../worker/db/shards.ts'
import {
  bindings,
  evict,
  fireAlarm,
  generationOf,
  givenTurn,
  inside,
  kill,
  openStream,
  readEvents,
  readSession,
  recordOf,
  tablesAndAlarm,
  untilEnded,
  untilWatched,
} from './turns.ts'
import { until } from './until.ts'

const long = '/demo chunks=5000 delay=10'
const alarmOf = (command: StartTurn) => inside(command, (_generation, { storage }) => storage.getAlarm())

type Gate = { readonly open: (how?: 'and fail') => void }

/** From now on, reads with `sql` in this object wait until their gate is opened. */
const holdReads = (command: StartTurn, sql: string, gates: Gate[]) =>
  inside(command, (generation) => {
    const held = generation as unknown as { env: { readonly CONTENT_DB_2: D1Database } }
    const { CONTENT_DB_2: database } = held.env
    const heldStatement = (statement: D1PreparedStatement): D1PreparedStatement =>
      new Proxy(statement, {
        get(target, name) {
          if (name === 'bind') return (...values: unknown[]) => heldStatement(target.bind(...values))
          if (name !== 'first') return Reflect.get(target, name)
          return async () => {
            await new Promise<void>((resolve, reject) => {
              gates.push({ open: (how) => (how ? reject(new Error('D1_ERROR: Network connection lost.')) : resolve()) })
            })
            return target.first()
          }
        },
      })
    const prepare = (text: string) => (text.includes(sql) ? heldStatement(database.prepare(text)) : database.prepare(text))
    held.env = { ...held.env, CONTENT_DB_2: { prepare, batch: database.batch.bind(database) } as unknown as D1Database }
  })

test('[G1] [G4] two turns of one user have an object each: a crash interrupts one of them', async () => {
  const one = await givenTurn(long)
  const other = await givenTurn(long, { by: one })
  for (const turn of [one, other]) {
    await generationOf(turn).start(turn)
    await untilWatched(turn)
  }
  await kill(one)
  expect(await fireAlarm(one)).toBe(true)
  expect((await recordOf(one)).generation).toMatchObject({ status: 'interrupted' })
  expect((await recordOf(other)).generation).toMatchObject({ status: 'open' })
  const seen = await readEvents(await openStream(other), (events) => events.length > 300)
  expect(seen.at(-1)?.type).toBe('chunk')
  await generationOf(other).stop(other.generationId, other.userId)
  await untilEnded(other)
  expect((await recordOf(other)).generation).toMatchObject({ status: 'stopped' })
})

test('[G6] the alarm writes the ending to D1 again after growing pauses', async () => {
  const command = await givenTurn('/demo chunks=1 delay=0', { needsTitle: false })
  await inside(command, ({ faults }) => void faults.push(...Array.from({ length: 7 }, () => 'lost' as const)))
  await generationOf(command).start(command)
  const attempts = () =>
    inside(command, (_generation, { storage }) => Number(storage.sql.exec('select attempts from turn').toArray()[0]?.attempts))
  await until(attempts, (count) => count > 0, 'a first attempt')
  let ringsMs = 0
  while ((await attempts()) < 7) {
    const beforeMs = Date.now()
    await fireAlarm(command)
    ringsMs = ((await alarmOf(command)) ?? 0) - beforeMs
  }
  expect(ringsMs).toBeGreaterThan(6 * generationHeartbeatMs)
  await fireAlarm(command)
  expect(await recordOf(command)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
})

describe('calls that overlap', () => {
  test('write one answer with one ending, also when one of them fails', async () => {
    const command = await givenTurn(long)
    const gates: Gate[] = []
    await holdReads(command, 'select threadId, parentId, modelId', gates)
    const { generationId, userId } = command
    const reading = (count: number) =>
      until(
        () => gates.length,
        (held) => held === count,
        `${count} reading`,
      )
    // Sequential: on a busy machine calls may arrive out of command.
    const failing = inside(command, (generation) => generation.recover(generationId, userId)).catch(() => undefined)
    await reading(1)
    const late = inside(command, (generation) => generation.recover(generationId, userId)).catch((error: unknown) => error)
    await reading(2)
    await inside(command, () => gates[0]?.open('and fail'))
    await failing
    await generationOf(command).start(command)
    const events = readEvents(await openStream(command))
    await inside(command, () => gates[1]?.open())
    expect(await late).toBeUndefined()
    await generationOf(command).stop(generationId, userId)
    await untilEnded(command)
    expect((await events).at(-1)).toEqual({ type: 'end', ending: 'stopped' })
    expect(await recordOf(command)).toMatchObject({ generation: { status: 'stopped' }, answers: 1 })
  })

  test('write the answer of a start command that arrives while the alarm empties the object', async () => {
    const command = await givenTurn('/demo chunks=300 delay=1')
    await inside(command, (generation) => Promise.all([generation.alarm(), generation.start(command)]))
    await untilEnded(command)
    expect(await recordOf(command)).toMatchObject({ generation: { status: 'completed' }, answers: 1 })
  })
})

test('an account reads and stops the answer that it started as a guest', async () => {
  const command = await givenTurn(long)
  await generationOf(command).start(command)
  // With another content database than the guest.
  const asked = { threadId: command.threadId, userId: newId() }
  await linkGuest(bindings, { guestId: command.userId, accountId: asked.userId }, Date.now())
  const request = new Request(`https://parley.test/api/thread/any/stream?generation=${command.generationId}`)
  const events = await readEvents(await streamAnswer(bindings, request, { ...asked, ...readSession }), (seen) => seen.length > 50)
  expect(events[0]).toMatchObject({ type: 'chunk', id: 1 })
  await generationOf(command).stop(command.generationId, asked.userId)
  await untilEnded(command)
  const answer = contentDb(bindings, asked.userId).prepare('select userId from message where id = ?').bind(command.generationId)
  expect(await answer.first('userId')).toBe(asked.userId)
})

test('[G1] an object without a turn stores nothing and sets no alarm', async () => {
  const command = { generationId: 'generation-never-opened', userId: 'somebody' } as StartTurn
  await generationOf(command).stop(command.generationId, command.userId)
  await generationOf(command).recover(command.generationId, command.userId)
  expect((await openStream({ ...command, threadId: 'thread', waitMs: 0 })).status).toBe(404)
  expect(await tablesAndAlarm(command)).toEqual([0, null])
})

test('an object of an earlier release, which wrote all answers of a user, serves none of them and is emptied by its alarm', async () => {
  const command = { generationId: 'generation-of-an-earlier-release' } as StartTurn
  await inside(command, async (_generation, { storage }) => {
    storage.sql.exec('create table answerTurn (generationId text primary key, turn text not null, ended text)')
    storage.sql.exec(`insert into answerTurn values ('one', '{"userId":"somebody"}', null)`)
    await storage.setAlarm(Date.now() + 60_000)
  })
  await evict(command)
  expect(await fireAlarm(command)).toBe(true)
  const names = await inside(command, (_generation, { storage }) => [...storage.sql.exec('select name from sqlite_master')])
  expect([names.filter(({ name }) => name === 'answerTurn'), ...(await tablesAndAlarm(command))]).toEqual([[], 0, null])
})
