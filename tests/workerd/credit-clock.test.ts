// Credits with a wrong clock: midnight during a turn, an hour forward and back, a whole day. Credits belong to a UTC day, days never
// decrease, and held messages continue on the next day.

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dayOf, nextDayStartMs } from '../../worker/contract/access.ts'
import { creditsPerDay } from '../../worker/contract/limits.ts'
import { createRng } from '../support/rng.ts'
import { content } from './bindings.ts'
import { fireAlarm, stubOf } from './sync-object.ts'
import { connected, env, freshId, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'
import { openStream, recordedGeneration } from './turns.ts'
import { until } from './until.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
const midnightMs = nextDayStartMs(Date.UTC(2027, 2, 27))
const short = '/demo chunks=1 delay=0'
const free = '/demo empty'

let ada: SyncUser
let wire: Wire
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  // Signed in with a clock that is days ahead: the token is valid at all times of these tests.
  vi.setSystemTime(midnightMs + 5 * dayMs)
  ada = await newUser()
  vi.setSystemTime(midnightMs - hourMs)
  wire = await connected(ada, { queries: [me, recentThreads] })
})
afterEach(() => {
  vi.useRealTimers()
})

const all = async (sql: string, ...values: (string | number)[]) =>
  (
    await content
      .prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results

/** Null if it was accepted, otherwise the code. */
async function send(text: string, threadId = freshId('thread')): Promise<string | null> {
  const id = wire.mutate('threads.send', turnArgs(text, threadId))
  await wire.confirmed(id)
  return (wire.results.get(`${wire.clientID}/${id}`) as { details?: { code: string } } | undefined)?.details?.code ?? null
}

/** Uses credits of today without waiting for an answer. A later turn then reserves the credits of its model alone. */
async function spend(credits: number, day: number) {
  await content
    .prepare(
      `insert into creditLedger (id, userId, generationId, kind, credits, day, dailyLimit, createdAt) values (?1, ?2, ?1, 'reserve', ?3, ?4, 20, 1)`,
    )
    .bind(freshId('ledger'), ada.userId, credits, day)
    .run()
  await stubOf(ada).notify()
}

const nothingIsWritten = () => wire.until(() => wire.rowsOf('thread').every(({ status }) => status === 'ready'), 'every thread ready')
const sumsByDay = () => all('select day, sum(credits) credits from creditLedger where userId = ? group by day order by day', ada.userId)

test('a turn counts for the day on which it started, charged or free', async () => {
  const [charged, freed] = [freshId('thread'), freshId('thread')]
  expect([await send('/demo chunks=5000 delay=20', charged), await send('/demo chunks=0 think=80 delay=25', freed)]).toEqual([null, null])
  const [words] = await all('select streamId from thread where id = ?', charged)
  const turn = { generationId: String(words?.streamId), userId: ada.userId, threadId: charged }
  await recordedGeneration(turn.generationId)
  await until(async () => (await openStream(turn)).ok, Boolean, 'a stream')
  await new Promise((resolve) => setTimeout(resolve, 100))
  vi.setSystemTime(midnightMs + 1)
  expect(await send(short)).toBeNull()
  await wire.confirmed(wire.mutate('threads.stop', { threadId: charged }))
  await nothingIsWritten()
  expect(await sumsByDay()).toEqual([
    { day: dayOf(midnightMs) - 1, credits: 1 },
    { day: dayOf(midnightMs), credits: 1 },
  ])
  expect(wire.row('usage', ada.userId)).toMatchObject({ credits: 1, day: dayOf(midnightMs) })
})

test('[U4] sends a message after midnight without a connection, charged to the new day', async () => {
  const threadId = freshId('thread')
  await spend(creditsPerDay.guest - 1, dayOf(Date.now()))
  expect(await send('/demo chunks=20 delay=20', threadId)).toBeNull()
  const queued = { id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2', text: short, at: 1 }
  await wire.confirmed(wire.mutate('queue.add', queued))
  await wire.until(() => wire.row('queuedMessage', queued.id)?.hold === 'credits_exhausted', 'held')
  await wire.close()

  // It may fire early; then nothing happens.
  await fireAlarm(ada)
  expect(await all('select hold from queuedMessage where id = ?', queued.id)).toEqual([{ hold: 'credits_exhausted' }])
  vi.setSystemTime(midnightMs + 60_000)
  expect(await fireAlarm(ada)).toBe(true)
  const answers = () => all("select id from generation where queuedId = ? and status = 'completed'", queued.id)
  await until(answers, ({ length }) => length === 1, 'the answer to what was queued')
  expect(await all('select id from queuedMessage where threadId = ?', threadId)).toEqual([])
  expect(await sumsByDay()).toEqual([
    { day: dayOf(midnightMs) - 1, credits: creditsPerDay.guest },
    { day: dayOf(midnightMs), credits: 1 },
  ])
})

test('[U4] sends it when credits return, unless the user stopped the answer before it', async () => {
  const [threadId, other] = [freshId('thread'), freshId('thread')]
  await spend(creditsPerDay.guest - 2, dayOf(Date.now()))
  // Fails without an answer after its reasoning, which returns its credit.
  expect(await send('/demo chunks=0 think=160 delay=25', other)).toBeNull()
  expect(await send('/demo chunks=20 delay=20', threadId)).toBeNull()
  const queued = { id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2', text: free, at: 1 }
  await wire.confirmed(wire.mutate('queue.add', queued))
  await wire.until(() => wire.row('queuedMessage', queued.id)?.hold === 'credits_exhausted', 'held')
  await wire.until(() => !wire.row('queuedMessage', queued.id), 'sent')
  await nothingIsWritten()
  expect(await all('select status from generation where queuedId = ?', queued.id)).toEqual([{ status: 'failed' }])

  // Held again, but now after an answer that the user stopped.
  expect(await send('/demo silent=start', threadId)).toBeNull()
  const held = { ...queued, id: freshId('queued'), answerId: freshId('answer') }
  await wire.confirmed(wire.mutate('queue.add', held))
  await content.prepare("update queuedMessage set hold = 'credits_exhausted' where id = ?").bind(held.id).run()
  await wire.confirmed(wire.mutate('threads.stop', { threadId }))
  await nothingIsWritten()
  expect(await all('select hold from queuedMessage where id = ?', held.id)).toEqual([{ hold: 'stopped' }])
})

test("[U4] sends it when the user's organization pays", async () => {
  const [threadId, organizationId] = [freshId('thread'), freshId('organization')]
  const paid = JSON.stringify({ id: 's', status: 'active', currentPeriodEndMs: Date.now() + 30 * dayMs, cancelAtPeriodEnd: false })
  await env.DB.batch([
    env.DB.prepare('insert into organization (id, name, slug, createdAt) values (?1, ?1, ?1, 1)').bind(organizationId),
    env.DB.prepare("insert into member (id, organizationId, userId, role, createdAt) values (?1, ?1, ?2, 'member', 1)").bind(
      ...[organizationId, ada.userId],
    ),
  ])
  await spend(creditsPerDay.guest - 1, dayOf(Date.now()))
  expect(await send('/demo chunks=20 delay=20', threadId)).toBeNull()
  const queued = { id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2', text: short, at: 1 }
  await wire.confirmed(wire.mutate('queue.add', queued))
  await wire.until(() => wire.row('queuedMessage', queued.id)?.hold === 'credits_exhausted', 'held')
  await nothingIsWritten()
  await env.DB.prepare('insert into organizationCustomer (id, organizationId, subscription) values (?1, ?1, ?2)')
    .bind(organizationId, paid)
    .run()
  await stubOf(ada).notify()
  await wire.until(() => !wire.row('queuedMessage', queued.id), 'sent')
  await nothingIsWritten()
})

test.each([1, 2])('a jumping clock (seed %i) gives no daily credits twice', async (seed) => {
  const rng = createRng(seed)
  const days = new Set<number>()
  let nowMs = midnightMs - hourMs
  let accepted = 0
  for (let step = 0; step < 70; step++) {
    // Summer time, a clock that is set back, a day that passes, or only seconds.
    const jump = rng.pick([hourMs, -hourMs, hourMs, 1000, 1000, -dayMs / 4])
    nowMs = Math.max(midnightMs - 2 * hourMs, Math.min(nowMs + jump, midnightMs + 4 * dayMs))
    vi.setSystemTime(nowMs)
    days.add(dayOf(nowMs))
    const code = await send(rng.chance(0.2) ? free : short)
    if (code === null) accepted++
    else expect(code).toBe('credits_exhausted')
  }
  await nothingIsWritten()
  const sums = (await sumsByDay()) as { day: number; credits: number }[]
  for (const { day, credits } of sums) expect([days.has(day), credits <= creditsPerDay.guest]).toEqual([true, true])
  const [turns] = await all("select count(*) n from generation where userId = ? and status = 'completed'", ada.userId)
  expect(sums.reduce((sum, { credits }) => sum + credits, 0)).toBe(turns?.n)
  expect(accepted).toBeGreaterThan(creditsPerDay.guest)
})
