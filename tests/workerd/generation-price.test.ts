// The price of a turn by its ending: a request that was sent is charged, and free failures are limited per day.

import { afterEach, describe, expect, test, vi } from 'vitest'
import { unpaidTurnsPerDay } from '../../worker/contract/limits.ts'
import type { StartTurn } from '../../worker/contract/threads/turn.ts'
import { content } from './bindings.ts'
import { stubProvider } from './provider.ts'
import { testAbortReason } from './sync-object.ts'
import {
  credits,
  fireAlarm,
  generationOf,
  givenTurn,
  inside,
  kill,
  openStream,
  readEvents,
  recordOf,
  untilEnded,
  untilWatched,
} from './turns.ts'
import { until } from './until.ts'

afterEach(() => vi.unstubAllGlobals())

const stop = (command: StartTurn) => generationOf(command).stop(command.generationId, command.userId)

/** Runs `/demo` turns of one user to their end; `during` runs while the model answers. */
async function answered(text: string, { by, during }: { by?: StartTurn; during?: (command: StartTurn) => Promise<unknown> } = {}) {
  const command = await givenTurn(text, { needsTitle: false, ...(by && { by }) })
  await generationOf(command).start(command)
  await during?.(command)
  await untilEnded(command)
  return command
}

const costs = async (command: StartTurn) => {
  const { answer, ledger, usage } = await recordOf(command)
  return { price: answer?.metadata.credits, kinds: ledger.map(({ kind }) => kind), usage: usage?.credits }
}

const untilReasoning = async (command: StartTurn) =>
  readEvents(await openStream(command), (events) =>
    events.some((event) => event.type === 'chunk' && event.chunk.type === 'reasoning-delta'),
  )

/** Waits until the object has stored that a request was sent. */
const untilRequested = (command: StartTurn) =>
  until(
    () => inside(command, (_generation, { storage }) => storage.sql.exec("select turn ->> '$.requestSent' sent from turn").toArray()),
    (rows) => rows[0]?.sent === 1,
    'a request',
  )

const stopping = ({ threadId }: StartTurn) => content.prepare("update thread set status = 'stopping' where id = ?").bind(threadId).run()

test('30 turns with a long input that are stopped while the model reasons are all charged', async () => {
  const long = 'x'.repeat(90_000)
  let last: StartTurn | undefined
  for (let turn = 0; turn < 30; turn++) {
    last = await answered(`/demo think=400 chunks=1 delay=5 ${long}`, {
      ...(last && { by: last }),
      during: async (command) => {
        await untilReasoning(command)
        await stop(command)
      },
    })
    expect(await costs(last)).toMatchObject({ price: credits, kinds: ['reserve', 'settle'], usage: (turn + 1) * credits })
  }
})

describe('a stop', () => {
  test('after the request and before any output is charged', async () => {
    const command = await answered('/demo silent=start', { during: async (command) => untilRequested(command).then(() => stop(command)) })
    expect(await costs(command)).toEqual({ price: credits, kinds: ['reserve', 'settle'], usage: credits })
  })

  test('before the start command arrived is free', async () => {
    const command = await givenTurn('/demo chunks=3')
    await stop(command)
    await untilEnded(command)
    expect(await costs(command)).toEqual({ price: 0, kinds: ['release', 'reserve'], usage: 0 })
  })

  test('of a turn with a forced search counts no search before one was made', async () => {
    const command = await givenTurn('/demo silent=start', { mode: 'search' })
    await generationOf(command).start(command)
    await untilRequested(command)
    await stop(command)
    await untilEnded(command)
    expect(await content.prepare('select credits, search from usage where userId = ?').bind(command.userId).first()).toEqual({
      credits,
      search: 0,
    })
  })

  test('is charged once when the object died after the request and before the stop arrived', async () => {
    const command = await givenTurn('/demo silent=start')
    await generationOf(command).start(command)
    await untilRequested(command)
    await kill(command)
    await stop(command)
    await untilEnded(command)
    await stop(command)
    expect((await recordOf(command)).generation).toMatchObject({ status: 'stopped' })
    expect(await costs(command)).toEqual({ price: credits, kinds: ['reserve', 'settle'], usage: credits })
  })

  test('that D1 records is charged when the object died and its alarm ends the turn before the stop is repeated', async () => {
    const command = await givenTurn('/demo silent=start')
    await generationOf(command).start(command)
    await untilRequested(command)
    await untilWatched(command)
    await stopping(command)
    await kill(command)
    await fireAlarm(command)
    await untilEnded(command)
    const { generation, answer } = await recordOf(command)
    expect([generation?.status, answer?.metadata.ending]).toEqual(['stopped', 'stopped'])
    expect(await costs(command)).toEqual({ price: credits, kinds: ['reserve', 'settle'], usage: credits })
  })

  test('that was claimed before a crash is settled as charged after it', async () => {
    const command = await givenTurn('/demo silent=start')
    await generationOf(command).start(command)
    await untilRequested(command)
    await inside(command, ({ faults }) => void faults.push('stuck'))
    await stop(command).catch(() => undefined)
    await kill(command)
    await fireAlarm(command)
    await untilEnded(command)
    expect(await costs(command)).toEqual({ price: credits, kinds: ['reserve', 'settle'], usage: credits })
  })

  test('is free when the object died in the request and before it had stored the start command', async () => {
    const command = await givenTurn('hello', { needsTitle: false })
    const dying = inside(command, async (generation, state) => {
      generation.reachGateway()
      stubProvider(state, () => {
        state.abort(testAbortReason)
        return new Promise(() => undefined)
      })
      await generation.start(command)
    })
    await expect(dying).rejects.toThrow()
    vi.unstubAllGlobals()
    await stop(command)
    await untilEnded(command)
    expect(await costs(command)).toEqual({ price: 0, kinds: ['release', 'reserve'], usage: 0 })
  })
})

describe('a failure without an answer', () => {
  const unpaid = async ({ generationId }: StartTurn) =>
    content.prepare('select sum(unpaid) from creditLedger where generationId = ?').bind(generationId).first<number>('sum(unpaid)')

  test.each([
    ['before any output', '/demo fail=start'],
    ['after reasoning', '/demo think=3 delay=0 chunks=0'],
  ])('%s is free and is marked as unpaid', async (_when, text) => {
    const command = await answered(text)
    expect((await recordOf(command)).generation).toMatchObject({ status: 'failed' })
    expect(await costs(command)).toEqual({ price: 0, kinds: ['release', 'reserve'], usage: 0 })
    expect(await unpaid(command)).toBe(1)
  })

  test('by a crash is free and is marked as unpaid', async () => {
    const command = await givenTurn('/demo silent=start')
    await generationOf(command).start(command)
    await untilRequested(command)
    await untilWatched(command)
    await kill(command)
    await fireAlarm(command)
    await untilEnded(command)
    expect((await recordOf(command)).generation).toMatchObject({ status: 'interrupted' })
    expect(await costs(command)).toEqual({ price: 0, kinds: ['release', 'reserve'], usage: 0 })
    expect(await unpaid(command)).toBe(1)
  })

  test('is charged once the unpaid turns of the day are used up, and again free for another user', async () => {
    const first = await answered('/demo fail=start')
    for (let turn = 1; turn < unpaidTurnsPerDay; turn++)
      expect((await costs(await answered('/demo fail=start', { by: first }))).price).toBe(0)
    const beyond = await answered('/demo fail=start', { by: first })
    expect(await costs(beyond)).toEqual({ price: credits, kinds: ['reserve', 'settle'], usage: credits })
    expect((await recordOf(beyond)).answer?.metadata).toMatchObject({ ending: 'failed', credits, failure: { code: 'model_error' } })
    expect((await costs(await answered('/demo fail=start'))).price).toBe(0)
  })

  test('that end at the same time do not exceed the limit', async () => {
    const first = await answered('/demo fail=start')
    const others: StartTurn[] = []
    while (others.length < unpaidTurnsPerDay + 3) others.push(await givenTurn('/demo fail=start', { needsTitle: false, by: first }))
    await Promise.all(others.map((command) => generationOf(command).start(command)))
    await Promise.all(others.map(untilEnded))
    const { results } = await content
      .prepare('select kind, count(*) n from creditLedger where userId = ? group by kind order by kind')
      .bind(first.userId)
      .all()
    expect(results).toEqual([
      { kind: 'release', n: unpaidTurnsPerDay },
      { kind: 'reserve', n: unpaidTurnsPerDay + 4 },
      { kind: 'settle', n: 4 },
    ])
  })

  test('whose request was not sent is free and does not use up the limit', async () => {
    const command = await givenTurn('hello')
    await generationOf(command).recover(command.generationId, command.userId, 'model_not_installed')
    await untilEnded(command)
    expect(await costs(command)).toEqual({ price: 0, kinds: ['release', 'reserve'], usage: 0 })
    expect(await unpaid(command)).toBe(0)
  })
})
