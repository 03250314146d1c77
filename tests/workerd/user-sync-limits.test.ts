// The limits of one user. Rules: worker/sync/SPEC.md, R2 to R6, R11 and R12.

import { afterEach, describe, expect, test, vi } from 'vitest'
import { content } from './bindings.ts'
import { countSqlRows } from './count-rows.ts'
import { alarmAt, evict, fireAlarm, inside, setAlarmAt } from './sync-object.ts'
import { connected, me, newUser, nickname, recentThreads, type SyncUser, threadList, turnArgs, type Wire } from './sync-wire.ts'
import { limitsKey } from './watched-user-sync.ts'

const names = (count: number) => Array.from({ length: count }, (_, i) => nickname(`n${i}`))

/** A user with this limit; `perSecond` is low enough that a test sees no refill. */
async function userWith(burst: number, perSecond = 1): Promise<SyncUser> {
  const user = await newUser()
  await inside(user, (_object, { storage }) => {
    storage.kv.put(limitsKey, { MUTATION_BURST: String(burst), MUTATIONS_PER_SECOND: String(perSecond) })
  })
  await evict(user)
  return user
}

const errorsOf = (wire: Wire) => wire.frames.flatMap(([tag, body]) => (tag === 'error' ? [body.kind] : []))
const confirmedOf = (wire: Wire) => wire.lastMutationIDs.get(wire.clientID) ?? 0

/** Lets the reopening time pass, and fires the alarm. */
async function reopen(user: SyncUser): Promise<void> {
  await setAlarmAt(user, 'quota', 1)
  await inside(user, (_object, { storage }) => {
    storage.sql.exec(`update sync_meta set value = json_set(value, '$.bucket', json('{"tokens":1000,"atMs":1}')) where name = 'now'`)
  })
  await evict(user)
  await fireAlarm(user)
}

describe('[R2] above the limit', () => {
  test('sends MutationRateLimited and stays open; later ids wait, and reads continue', async () => {
    const user = await userWith(5)
    const wire = await connected(user, { queries: [me] })
    wire.push(names(8))
    expect(await wire.receives('error')).toEqual({ kind: 'MutationRateLimited', message: expect.any(String), origin: 'zeroCache' })
    expect(confirmedOf(wire)).toBe(5)
    wire.push([nickname('later')])
    await wire.settled()
    expect(errorsOf(wire)).toEqual(['MutationRateLimited', 'MutationRateLimited'])
    expect(confirmedOf(wire)).toBe(5)
    expect(wire.rowsOf('setting')).toMatchObject([{ nickname: 'n4' }])
    expect(wire.closed).toBeNull()
    await wire.close()
  })
})

describe('[R3] reopening', () => {
  test('closes limited connections with 1000, no others, and accepts the resent mutations', async () => {
    const user = await userWith(5)
    const [wire, reader] = [await connected(user, { queries: [me] }), await connected(user, { queries: [me] })]
    wire.push(names(6))
    await wire.receives('error')
    await reopen(user)
    expect((await wire.untilClosed()).code).toBe(1000)
    const back = await wire.reconnect()
    back.push([{ ...nickname('waited'), id: 6 }])
    await back.confirmed(6)
    await reader.until(() => reader.rowsOf('setting')[0]?.nickname === 'waited', 'the delayed write')
    expect(errorsOf(back)).toEqual([])
    await Promise.all([back.close(), reader.close()])
  })

  test('keeps its time while more is refused, at most the time to fill the bucket', async () => {
    const user = await userWith(100, 20)
    const wire = await connected(user, { queries: [me] })
    const deadline = () => alarmAt(user, 'quota')
    const beforeMs = Date.now()
    wire.push(names(1000))
    await wire.receives('error')
    await wire.settled()
    const first = await deadline()
    expect(first).toBeGreaterThan(beforeMs)
    expect(first).toBeLessThanOrEqual(Date.now() + 5000)
    wire.push(names(10))
    await wire.settled()
    expect(await deadline()).toBe(first)
    await wire.close()
  })
})

test('[R5] a time that a clock moved an hour away is set again at the next refusal', async () => {
  const user = await userWith(2)
  const wire = await connected(user, { queries: [me] })
  wire.push(names(3))
  await wire.receives('error')
  await setAlarmAt(user, 'quota', Date.now() + 3_600_000)
  wire.push(names(1))
  await wire.settled()
  expect(await alarmAt(user, 'quota')).toBeLessThanOrEqual(Date.now() + 2000)
  await wire.close()
})

/** Rows written in the object from now on. The clock stands still, so alarms fire only by the test. */
async function costsIn(wire: Wire) {
  const { user } = wire
  const written = await inside(user, (_object, { storage }) => {
    const rows = countSqlRows(storage)
    return () => inside(user, () => rows.count)
  })
  const costOf = async (act: () => number | Promise<unknown>) => {
    const before = await written()
    const acted = act()
    await (typeof acted === 'number' ? wire.confirmed(acted) : acted)
    return (await written()) - before
  }
  return { written, costOf }
}

/** A time before which no alarm fires. */
const stopClock = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 })

describe('[R11] written rows', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('a mutation writes at most 8 rows in the object, also one that opens a turn, and a first load at most 30', async () => {
    stopClock()
    const user = await newUser()
    const wire = await connected(user, { queries: [me] })
    await wire.confirmed(wire.push([nickname('warm')]))
    const { written, costOf } = await costsIn(wire)
    const setting = await costOf(() => wire.push([nickname('counted')]))
    const refused = await costOf(() => wire.mutate('threads.rename', { threadId: 'no-such-thread', title: 'New' }))
    const many = await costOf(() => wire.push(names(50)))
    // Its answer takes long enough to be counted separately.
    const turn = turnArgs('/demo chunks=5 delay=100')
    const first = await costOf(() => wire.mutate('threads.send', turn))
    const settled = () => content.prepare('select status from thread where id = ?').bind(turn.threadId).first('status')
    while ((await settled()) !== 'ready') await new Promise((resolve) => setTimeout(resolve, 5))
    await wire.settled()
    const second = await costOf(() =>
      wire.mutate('threads.send', { ...turnArgs('/demo chunks=5 delay=100', turn.threadId), parentId: turn.answerId }),
    )
    const before = await written()
    const another = await connected(user, { queries: [me, threadList, recentThreads] })
    const load = (await written()) - before
    await another.close()
    expect(wire.results.size).toBe(1)
    for (const send of [first, second]) expect(send).toBeLessThanOrEqual(8)
    expect(load).toBeLessThanOrEqual(30)
    expect(setting).toBeGreaterThan(2)
    expect(setting).toBeLessThanOrEqual(8)
    expect(refused).toBeLessThanOrEqual(8)
    expect(many / 50).toBeLessThanOrEqual(8)
    await wire.close()
  })
})

test('[R6] a connection that sends too many frames receives ServerOverloaded', async () => {
  const user = await userWith(2)
  const [wire, other] = [await connected(user), await connected(user)]
  for (let i = 0; i < 40; i++) wire.send('["ping", {}]')
  expect(await wire.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
  await wire.untilClosed()
  await other.settled()
  await other.close()
})

test('[R12] large frames wait up to a bound; senders above it receive ServerOverloaded', async () => {
  const user = await newUser()
  const wires = await Promise.all(Array.from({ length: 11 }, () => connected(user)))
  const open = await inside(user, (object) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    object.watch.gate = promise
    return () => inside(user, () => resolve())
  })
  const text = 'x'.repeat(1_000_000)
  for (const wire of wires) wire.push([{ name: 'threads.nothing', args: { text } }])
  const isOver = (wire: Wire) => errorsOf(wire).includes('ServerOverloaded')
  while (wires.filter(isOver).length < 3) await new Promise((resolve) => setTimeout(resolve, 5))
  await open()
  const served = wires.filter((wire) => !isOver(wire))
  await Promise.all(served.map((wire) => wire.confirmed(1)))
  expect(served).toHaveLength(8)
  await Promise.all(served.map((wire) => wire.close()))
})
