// The first page in KV: how often it is written, for whom, and what happens when KV fails. Rules: worker/sync/SPEC.md, N.
import { afterEach, expect, test, vi } from 'vitest'
import { hintKept, hintKey } from '../../../worker/db/first-page-hint.ts'
import { HintWriter, hintIntervalMs } from '../../../worker/sync/hint-writer.ts'
import { openUserState } from '../../../worker/sync/user-state.ts'
import { createNodeSql } from '../../support/node-sql.ts'
import { createRng } from '../../support/rng.ts'
import { failToRemember, newObject, startMs, userId } from './hint-object.ts'

const dayMs = 24 * 60 * 60 * 1000

afterEach(() => {
  vi.restoreAllMocks()
})

test('[N1] the first connection of a session writes its hint, labelled, for a day', async () => {
  const object = newObject()
  object.setting('Ada')
  expect(await object.joined(['laptop'], startMs)).toBe(false)
  expect(object.kv.puts).toMatchObject([{ key: `first-page/${userId}/laptop`, ttlS: 86_400 }])
  expect(object.hint()).toMatchObject({ userId, writtenAtMs: startMs, rows: { settings: { nickname: 'Ada' } } })
  await object.joined(['laptop'], startMs + 5000)
  expect(object.kv.puts).toHaveLength(1)
})

test('[N2] a change within the second waits for the alarm, which writes the newest rows once', async () => {
  const object = newObject()
  await object.changed('one', startMs)
  expect(await object.changed('two', startMs + 10)).toBe(true)
  expect(await object.changed('three', startMs + 20)).toBe(false)
  expect(object.deadline()).toBe(startMs + hintIntervalMs)
  await object.ring(startMs + hintIntervalMs)
  expect(object.kv.puts.map(({ atMs }) => atMs)).toEqual([startMs, startMs + hintIntervalMs])
  expect(object.hint()?.rows.settings?.nickname).toBe('three')
  expect(object.deadline()).toBeNull()
})

test.each([1, 2, 3])(
  '[N2] whatever comes when, also across evictions: no key is written twice in a second, and the last word is written (seed %i)',
  async (seed) => {
    const object = newObject()
    const rng = createRng(seed)
    let nowMs = startMs
    let said = 'nothing'
    for (let step = 0; step < 400; step += 1) {
      nowMs += rng.below(400)
      await object.ring(nowMs)
      if (rng.chance(0.1)) object.evict()
      said = `name ${step}`
      await object.changed(said, nowMs, rng.chance(0.3) ? ['laptop', 'phone'] : ['laptop'])
    }
    await object.ring(nowMs + 2 * hintIntervalMs)
    const gaps = ['laptop', 'phone'].flatMap((id) => {
      const times = object.kv.puts.filter(({ key }) => key === hintKey(userId, id)).map(({ atMs }) => atMs)
      return times.slice(1).map((time, i) => time - (times[i] ?? 0))
    })
    expect(gaps.length).toBeGreaterThan(20)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(hintIntervalMs)
    expect(object.hint()?.rows.settings?.nickname).toBe(said)
  },
)

test('[N3] what is the same is not written again, also not after a sleep, until a day has passed', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  await object.changed('Ada', startMs + 2000)
  object.evict()
  await object.changed('Ada', startMs + 4000)
  await object.joined(['laptop'], startMs + dayMs - 1)
  expect(object.kv.puts).toHaveLength(1)
  await object.joined(['laptop'], startMs + dayMs)
  expect(object.kv.puts).toHaveLength(2)
})

test('[N3] rows that the first page does not show are no change', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  object.apply('message', { id: 'm', threadId: 'elsewhere', userId, message: { id: 'm', role: 'user', parts: [] } })
  await object.at(startMs + 2000, (held) => held.offer(['laptop'], startMs + 2000))
  expect(object.kv.puts).toHaveLength(1)
})

test('[N5] a write that KV refuses costs nothing but itself: the next change makes up for it', async () => {
  const object = newObject()
  object.kv.faults.push(new Error('KV PUT failed: 429 Too Many Requests'))
  await object.changed('Ada', startMs)
  expect(object.hint()).toBeNull()
  await object.changed('Ada', startMs + 500)
  await object.ring(startMs + hintIntervalMs)
  expect(object.hint()?.rows.settings?.nickname).toBe('Ada')
})

test('[N5] what KV refused is given to it again at the next connection, though nothing has changed since', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  object.kv.faults.push(new Error('KV PUT failed: 429 Too Many Requests'))
  await object.changed('Grace', startMs + 2000)
  expect(object.hint()?.rows.settings?.nickname).toBe('Ada')
  await object.joined(['laptop'], startMs + 4000)
  expect(object.hint()?.rows.settings?.nickname).toBe('Grace')
  await object.joined(['laptop'], startMs + 6000)
  expect(object.kv.puts).toHaveLength(3)
})

test('[N5] what is undone with its change is not given to KV, and the same rows are when they come again', async () => {
  const object = newObject()
  await object.at(startMs, (held) => {
    const step = () =>
      object.state.sql.transaction(() => {
        object.setting('Ada')
        held.offer(['laptop'], startMs)
        throw new Error('the poke cannot be made')
      })
    expect(step).toThrow('the poke cannot be made')
    object.state.engine.reset()
    object.state.meta.reset()
    held.reset()
  })
  expect(object.kv.puts).toEqual([])
  await object.changed('Ada', startMs + 2000)
  expect(object.hint()?.rows.settings?.nickname).toBe('Ada')
})

test('[N5] what was committed, but never given to KV, is given with the next change, whatever that is', async () => {
  const object = newObject()
  object.setting('Ada')
  await object.at(startMs, (held) => {
    held.offer(['laptop'], startMs)
    held.reset()
  })
  expect(object.kv.puts).toEqual([])
  await object.changed('Ada', startMs + 2000)
  expect(object.hint()?.rows.settings?.nickname).toBe('Ada')
})

test('[N2] [N3] what an object of an earlier release has recorded in rows of its own is known', async () => {
  const object = newObject()
  const { sql, meta } = object.state
  await object.changed('Ada', startMs)
  sql.run("insert into sync_meta (name, value) values ('hint', ?), ('deadline:hint', ?)", JSON.stringify(meta.hint), startMs + 500)
  sql.run("update sync_meta set value = json_remove(value, '$.hint', '$.hintAtMs') where name = 'now'")
  meta.reset()
  object.evict()
  expect(object.deadline()).toBe(startMs + 500)
  await object.ring(startMs + 5000)
  expect(object.deadline()).toBeNull()
  await object.changed('Ada', startMs + 10_000)
  expect(object.kv.puts).toHaveLength(1)
  // And stays so when that, too, has slept.
  meta.reset()
  object.evict()
  await object.changed('Ada', startMs + 20_000)
  expect([object.deadline(), object.kv.puts.length]).toEqual([null, 1])
})

test('[N5] also when the failure itself cannot be stored: one write that failed twice stops no other', async () => {
  const object = newObject()
  object.setting('Ada')
  const { promise, reject } = Promise.withResolvers<void>()
  vi.spyOn(object.kv, 'put').mockImplementationOnce(() => promise)
  let mend = () => {}
  await object.at(startMs, (held) => {
    held.offer(['laptop'], startMs)
    mend = failToRemember(object)
    reject(new Error('KV PUT failed: 429 Too Many Requests'))
  })
  mend()
  expect(object.hint()).toBeNull()
  // Of the same rows: what KV holds is not what it was given.
  await object.changed('Ada', startMs + 2 * hintIntervalMs)
  expect(object.hint()?.rows.settings?.nickname).toBe('Ada')
})

test('[N5] without the binding nothing is read, and nothing is written', async () => {
  const state = openUserState(createNodeSql())
  const writer = new HintWriter({ env: {}, userId, state, inBackground: () => expect.unreachable('work without a KV') })
  expect([writer.joined(['laptop'], startMs), writer.offer(['laptop'], startMs), state.meta.deadline('hint')]).toEqual([false, false, null])
  expect(hintKept).toEqual({ s: dayMs / 1000, ms: dayMs })
})

test('[N6] a deleted thread is in no hint that follows, neither in the list nor among the recent ones', async () => {
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
  expect(object.hint()).toMatchObject({ rows: { threads: [{ id: thread.id }] }, recent: [{ id: thread.id, messages: [{ id: 'm' }] }] })
  object.apply('thread', { ...thread, deletedAt: 2 })
  await object.at(startMs + 2000, (held) => held.offer(['laptop'], startMs + 2000))
  expect(object.hint()).toMatchObject({ rows: { threads: [] }, recent: [] })
})
