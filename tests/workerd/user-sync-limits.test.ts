// How much a person may write, and what happens beyond. Rules: worker/sync/SPEC.md, R.
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { countSqlRows } from './count-rows.ts'
import {
  connected,
  env,
  evict,
  inside,
  me,
  newPerson,
  type Person,
  recentThreads,
  ringAlarm,
  threadList,
  turnArgs,
  type Wire,
} from './sync-wire.ts'
import { limitsKey } from './watched-user-sync.ts'

const nickname = (value: string) => ({ name: 'settings.update', args: { nickname: value } })
const names = (count: number) => Array.from({ length: count }, (_, i) => nickname(`n${i}`))

/** Somebody who may write this much; `perSecond` low enough that a test sees no refill. */
async function personWith(burst: number, perSecond = 1): Promise<Person> {
  const person = await newPerson()
  await inside(person, (_object, { storage }) => {
    storage.kv.put(limitsKey, { MUTATION_BURST: String(burst), MUTATIONS_PER_SECOND: String(perSecond) })
  })
  await evict(person)
  return person
}

const errorsOf = (wire: Wire) => wire.frames.flatMap(([tag, body]) => (tag === 'error' ? [body.kind] : []))
const confirmedOf = (wire: Wire) => wire.lastMutationIDs.get(wire.clientID) ?? 0

/** Lets the alarm find everybody's waiting over. */
async function reopen(person: Person): Promise<void> {
  await inside(person, (_object, { storage }) => {
    storage.sql.exec(`update sync_meta set value = 1 where name = 'deadline:quota'`)
    storage.sql.exec(`update sync_meta set value = json_set(value, '$.bucket', json('{"tokens":1000,"atMs":1}')) where name = 'now'`)
  })
  await evict(person)
  await ringAlarm(person)
}

describe('[R2] beyond the limit', () => {
  test('the connection hears so and stays open; later ids wait too, and reading goes on', async () => {
    const person = await personWith(5)
    const wire = await connected(person, { queries: [me] })
    wire.push(names(8))
    expect(await wire.hears('error')).toEqual({ kind: 'MutationRateLimited', message: expect.any(String), origin: 'zeroCache' })
    expect(confirmedOf(wire)).toBe(5)
    wire.push([nickname('later')])
    await wire.caughtUp()
    expect(errorsOf(wire)).toEqual(['MutationRateLimited', 'MutationRateLimited'])
    expect(confirmedOf(wire)).toBe(5)
    expect(wire.rowsOf('setting')).toMatchObject([{ nickname: 'n4' }])
    expect(wire.closed).toBeNull()
    await wire.close()
  })

  test('what another tab repeats of it waits as well, and what was applied is ignored as ever', async () => {
    const person = await personWith(3)
    const wire = await connected(person, { queries: [me] })
    // A second would be another write.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    wire.push(names(4))
    await wire.hears('error')
    const sibling = await connected(person, { params: { clientGroupID: wire.groupID }, queries: [me] })
    sibling.push([{ ...nickname('again'), id: 3, clientID: wire.clientID }])
    await sibling.caughtUp()
    expect(errorsOf(sibling)).toEqual([])
    sibling.push([{ ...nickname('n3'), id: 4, clientID: wire.clientID }])
    expect(await sibling.hears('error')).toMatchObject({ kind: 'MutationRateLimited' })
    await Promise.all([wire.close(), sibling.close()])
  })
})

describe('[R3] when the window opens again', () => {
  test('connections that wait are closed with 1000, others are not, and what waited is accepted', async () => {
    const person = await personWith(5)
    const [wire, reader] = [await connected(person, { queries: [me] }), await connected(person, { queries: [me] })]
    wire.push(names(6))
    await wire.hears('error')
    await reopen(person)
    expect((await wire.untilClosed()).code).toBe(1000)
    const back = await wire.again()
    back.push([{ ...nickname('waited'), id: 6 }])
    await back.confirmed(6)
    await reader.until(() => reader.rowsOf('setting')[0]?.nickname === 'waited', 'the delayed write')
    expect(errorsOf(back)).toEqual([])
    await Promise.all([back.close(), reader.close()])
  })

  test('that moment is kept while more is refused, and is at most a bucket away', async () => {
    const person = await personWith(100, 20)
    const wire = await connected(person, { queries: [me] })
    const deadline = () =>
      inside(person, (_object, { storage }) =>
        Number(storage.sql.exec(`select value from sync_meta where name = 'deadline:quota'`).toArray()[0]?.value),
      )
    const beforeMs = Date.now()
    wire.push(names(1000))
    await wire.hears('error')
    await wire.caughtUp()
    const first = await deadline()
    expect(first).toBeGreaterThan(beforeMs)
    expect(first).toBeLessThanOrEqual(Date.now() + 5000)
    wire.push(names(10))
    await wire.caughtUp()
    expect(await deadline()).toBe(first)
    await wire.close()
  })

  test('[R5] a moment that a clock has moved an hour away is set anew at the next refusal', async () => {
    const person = await personWith(2)
    const wire = await connected(person, { queries: [me] })
    wire.push(names(3))
    await wire.hears('error')
    await inside(person, (_object, { storage }) => {
      storage.sql.exec(`update sync_meta set value = value + 3600000 where name = 'deadline:quota'`)
    })
    wire.push(names(1))
    await wire.caughtUp()
    const [row] = await inside(person, (_object, { storage }) =>
      storage.sql.exec(`select value from sync_meta where name = 'deadline:quota'`).toArray(),
    )
    expect(Number(row?.value)).toBeLessThanOrEqual(Date.now() + 2000)
    await wire.close()
  })
})

/** Rows written in the object from here on, whatever writes them. Its clock stands still meanwhile: no alarm rings but by hand. */
async function costsIn(wire: Wire) {
  const { person } = wire
  const written = await inside(person, (_object, { storage }) => {
    const rows = countSqlRows(storage)
    return () => inside(person, () => rows.count)
  })
  const costOf = async (act: () => number | Promise<unknown>) => {
    const before = await written()
    const acted = act()
    await (typeof acted === 'number' ? wire.confirmed(acted) : acted)
    return (await written()) - before
  }
  return { written, costOf }
}

/** A moment that no alarm reaches by itself. */
const stopClock = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 })

describe('[R4] the bucket', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  test('survives eviction: waking up gives nobody new writes', async () => {
    const person = await personWith(5)
    const wire = await connected(person, { queries: [me] })
    await wire.confirmed(wire.push(names(5)))
    await evict(person)
    wire.push(names(3))
    expect(await wire.hears('error')).toMatchObject({ kind: 'MutationRateLimited' })
    expect(confirmedOf(wire)).toBeLessThan(8)
    await wire.close()
  })

  test('a mutation writes at most 8 rows in the object, also one that opens a turn, the first load of a browser 30', async () => {
    stopClock()
    const person = await newPerson()
    const wire = await connected(person, { queries: [me] })
    await wire.confirmed(wire.push([nickname('warm')]))
    const { written, costOf } = await costsIn(wire)
    const setting = await costOf(() => wire.push([nickname('counted')]))
    const refused = await costOf(() => wire.mutate('threads.rename', { threadId: 'no-such-thread', title: 'New' }))
    const many = await costOf(() => wire.push(names(50)))
    // Its answer takes long enough not to be counted with it.
    const turn = turnArgs('/demo chunks=5 delay=100')
    const first = await costOf(() => wire.mutate('threads.send', turn))
    const settled = () => env.DB.prepare('select status from thread where id = ?').bind(turn.threadId).first('status')
    while ((await settled()) !== 'ready') await new Promise((resolve) => setTimeout(resolve, 5))
    await wire.caughtUp()
    const second = await costOf(() =>
      wire.mutate('threads.send', { ...turnArgs('/demo chunks=5 delay=100', turn.threadId), parentId: turn.answerId }),
    )
    const before = await written()
    const another = await connected(person, { queries: [me, threadList, recentThreads] })
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

  test('[N2] also one with which the first page is written to KV, or put off: that is one row more, a second later', async () => {
    stopClock()
    const person = await newPerson()
    const wire = await connected(person, { queries: [me] })
    const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)
    const puts = () => inside(person, (object) => Promise.all(object.hintPuts.map(({ landed }) => landed)).then(({ length }) => length))
    await inside(person, (object) => {
      // Nothing but the mutations is to write.
      object.orders.areRefused = true
    })
    pass(1500)
    await ringAlarm(person)
    const { costOf } = await costsIn(wire)
    const send = () => wire.mutate('threads.send', turnArgs('Hello'))
    pass(1500)
    const before = await puts()
    const due = await costOf(send)
    expect(await puts()).toBe(before + 1)
    const putOff = await costOf(send)
    expect(await puts()).toBe(before + 1)
    pass(1000)
    const alarm = await costOf(() => ringAlarm(person))
    expect(await puts()).toBe(before + 2)
    expect(wire.results.size).toBe(0)
    expect([due, putOff].every((rows) => rows > 4 && rows <= 8)).toBe(true)
    expect(alarm).toBe(1)
    await wire.close()
  })
})

test('[R6] a connection that sends frames without end is asked to come back later', async () => {
  const person = await personWith(2)
  const [wire, other] = [await connected(person), await connected(person)]
  for (let i = 0; i < 40; i++) wire.send('["ping", {}]')
  expect(await wire.hears('error')).toMatchObject({ kind: 'ServerOverloaded' })
  await wire.untilClosed()
  await other.caughtUp()
  await other.close()
})

test('[R7] while the record does not answer, large frames wait up to a bound; whoever sends beyond comes back, and the rest is done', async () => {
  const person = await newPerson()
  const wires = await Promise.all(Array.from({ length: 11 }, () => connected(person)))
  const open = await inside(person, (object) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    object.watch.gate = promise
    return () => inside(person, () => resolve())
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
