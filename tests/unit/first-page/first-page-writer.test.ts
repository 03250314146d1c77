// Writes of the first page to KV: frequency, sessions and failures of KV. Rules: worker/first-page/SPEC.md.

import { afterEach, expect, test, vi } from 'vitest'
import { firstPageKey, firstPageTtl } from '../../../worker/db/first-page.ts'
import { FirstPageWriter, firstPageIntervalMs } from '../../../worker/first-page/first-page.ts'
import { createNodeSql } from '../../support/node-sql.ts'
import { createRng } from '../../support/rng.ts'
import { openState } from '../sync/replica.ts'
import { failWriteRecord, newObject, startMs, userId } from './first-page-object.ts'

const dayMs = 24 * 60 * 60 * 1000

afterEach(() => {
  vi.restoreAllMocks()
})

test('[N1] the first connection of a session writes the page, labelled, for a day', async () => {
  const object = newObject()
  object.setting('Ada')
  expect(await object.connected(['laptop'], startMs)).toBe(false)
  expect(object.kv.puts).toMatchObject([{ key: `first-page/${userId}/laptop`, ttlS: 86_400 }])
  expect(object.firstPage()).toMatchObject({ userId, writtenAtMs: startMs, rows: { settings: { nickname: 'Ada' } } })
  await object.connected(['laptop'], startMs + 5000)
  expect(object.kv.puts).toHaveLength(1)
})

test('[N2] a second change within a second waits for the alarm, which writes the newest rows once', async () => {
  const object = newObject()
  await object.changed('one', startMs)
  expect(await object.changed('two', startMs + 10)).toBe(true)
  expect(await object.changed('three', startMs + 20)).toBe(false)
  expect(object.deadline()).toBe(startMs + firstPageIntervalMs)
  await object.fire(startMs + firstPageIntervalMs)
  expect(object.kv.puts.map(({ atMs }) => atMs)).toEqual([startMs, startMs + firstPageIntervalMs])
  expect(object.firstPage()?.rows.settings?.nickname).toBe('three')
  expect(object.deadline()).toBeNull()
})

test.each([1, 2, 3])(
  '[N2] no key is written twice in a second, also across evictions, and the last change is written (seed %i)',
  async (seed) => {
    const object = newObject()
    const rng = createRng(seed)
    let nowMs = startMs
    let nickname = 'nothing'
    for (let step = 0; step < 400; step += 1) {
      nowMs += rng.below(400)
      await object.fire(nowMs)
      if (rng.chance(0.1)) object.evict()
      nickname = `name ${step}`
      await object.changed(nickname, nowMs, rng.chance(0.3) ? ['laptop', 'phone'] : ['laptop'])
    }
    await object.fire(nowMs + 2 * firstPageIntervalMs)
    const gaps = ['laptop', 'phone'].flatMap((id) => {
      const times = object.kv.puts.filter(({ key }) => key === firstPageKey(userId, id)).map(({ atMs }) => atMs)
      return times.slice(1).map((time, i) => time - (times[i] ?? 0))
    })
    expect(gaps.length).toBeGreaterThan(20)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(firstPageIntervalMs)
    expect(object.firstPage()?.rows.settings?.nickname).toBe(nickname)
  },
)

test('[N3] the same content is not written for a day, also after hibernation', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  await object.changed('Ada', startMs + 2000)
  object.evict()
  await object.changed('Ada', startMs + 4000)
  await object.connected(['laptop'], startMs + dayMs - 1)
  expect(object.kv.puts).toHaveLength(1)
  await object.connected(['laptop'], startMs + dayMs)
  expect(object.kv.puts).toHaveLength(2)
})

test('[N3] rows outside the first page cause no write', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  object.apply('message', { id: 'm', threadId: 'elsewhere', userId, message: { id: 'm', role: 'user', parts: [] } })
  await object.at(startMs + 2000, (held) => held.update(['laptop'], startMs + 2000))
  expect(object.kv.puts).toHaveLength(1)
})

test('[N5] the next change repeats a write that KV refused', async () => {
  const object = newObject()
  object.kv.faults.push(new Error('KV PUT failed: 429 Too Many Requests'))
  await object.changed('Ada', startMs)
  expect(object.firstPage()).toBeNull()
  await object.changed('Ada', startMs + 500)
  await object.fire(startMs + firstPageIntervalMs)
  expect(object.firstPage()?.rows.settings?.nickname).toBe('Ada')
})

test('[N5] the next connection repeats a write that KV refused', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  object.kv.faults.push(new Error('KV PUT failed: 429 Too Many Requests'))
  await object.changed('Grace', startMs + 2000)
  expect(object.firstPage()?.rows.settings?.nickname).toBe('Ada')
  await object.connected(['laptop'], startMs + 4000)
  expect(object.firstPage()?.rows.settings?.nickname).toBe('Grace')
  await object.connected(['laptop'], startMs + 6000)
  expect(object.kv.puts).toHaveLength(3)
})

test('[N5] a rolled back change is not written, and is written when it is committed', async () => {
  const object = newObject()
  await object.at(startMs, (held) => {
    const step = () =>
      object.state.sql.transaction(() => {
        object.setting('Ada')
        held.update(['laptop'], startMs)
        throw new Error('the poke cannot be made')
      })
    expect(step).toThrow('the poke cannot be made')
    object.state.engine.reset()
    object.state.meta.reset()
    held.reset()
  })
  expect(object.kv.puts).toEqual([])
  await object.changed('Ada', startMs + 2000)
  expect(object.firstPage()?.rows.settings?.nickname).toBe('Ada')
})

test('[N5] the next change repeats a write that was committed and not sent', async () => {
  const object = newObject()
  object.setting('Ada')
  await object.at(startMs, (held) => {
    held.update(['laptop'], startMs)
    held.reset()
  })
  expect(object.kv.puts).toEqual([])
  await object.changed('Ada', startMs + 2000)
  expect(object.firstPage()?.rows.settings?.nickname).toBe('Ada')
})

test('[N5] a failed write that cannot be recorded does not stop later writes', async () => {
  const object = newObject()
  object.setting('Ada')
  const { promise, reject } = Promise.withResolvers<void>()
  vi.spyOn(object.kv, 'put').mockImplementationOnce(() => promise)
  let mend = () => {}
  await object.at(startMs, (held) => {
    held.update(['laptop'], startMs)
    mend = failWriteRecord(object)
    reject(new Error('KV PUT failed: 429 Too Many Requests'))
  })
  mend()
  expect(object.firstPage()).toBeNull()
  // For the same rows: KV does not hold what was written.
  await object.changed('Ada', startMs + 2 * firstPageIntervalMs)
  expect(object.firstPage()?.rows.settings?.nickname).toBe('Ada')
})

test('[N5] without the KV binding nothing is read or written', async () => {
  const state = openState(createNodeSql())
  const writer = new FirstPageWriter({ env: {}, userId, state, inBackground: () => expect.unreachable('work without a KV') })
  expect([writer.connected(['laptop'], startMs), writer.update(['laptop'], startMs), state.meta.alarmAt('first-page')]).toEqual([
    false,
    false,
    null,
  ])
  expect(firstPageTtl).toEqual({ s: dayMs / 1000, ms: dayMs })
})

test('[N6] later values have no deleted thread, neither in the list nor among the recent ones', async () => {
  const object = newObject()
  const thread = { id: 'thread-one', userId, title: 'Gone soon', status: 'ready', headId: 'm', createdAt: 1, updatedAt: 1, deletedAt: null }
  object.apply('thread', thread)
  object.apply('message', {
    id: 'm',
    threadId: thread.id,
    userId,
    message: { id: 'm', role: 'user', parts: [] },
    createdAt: 1,
    updatedAt: 1,
  })
  await object.changed('Ada', startMs)
  expect(object.firstPage()).toMatchObject({ rows: { threads: [{ id: thread.id }] }, recent: [{ id: thread.id, messages: [{ id: 'm' }] }] })
  object.apply('thread', { ...thread, deletedAt: 2 })
  await object.at(startMs + 2000, (held) => held.update(['laptop'], startMs + 2000))
  expect(object.firstPage()).toMatchObject({ rows: { threads: [] }, recent: [] })
})
