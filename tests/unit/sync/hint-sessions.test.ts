// Whose hints are written, and what becomes of them when sessions end. Rules: worker/sync/SPEC.md, N4, C7.
import { afterEach, expect, test, vi } from 'vitest'
import { hintKey } from '../../../worker/db/first-page-hint.ts'
import { failToRemember, newObject, startMs, userId } from './hint-object.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('[N4] another session gets a key of its own; the first is left alone', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  await object.joined(['laptop', 'phone'], startMs + 2000)
  expect(object.kv.puts.map(({ key }) => key)).toEqual([hintKey(userId, 'laptop'), hintKey(userId, 'phone')])
})

test('[N4] when an ended session is forgotten its value is deleted, once, and never written again', async () => {
  const object = newObject()
  await object.changed('Ada', startMs, ['laptop', 'phone'])
  await object.at(startMs + 1, (held) => held.forget(['phone']))
  await object.at(startMs + 2, (held) => held.forget(['phone']))
  expect(object.kv.deletes).toEqual([hintKey(userId, 'phone')])
  await object.changed('Ada again', startMs + 2000, [])
  expect([...object.kv.values.keys()]).toEqual([hintKey(userId, 'laptop')])
  await object.at(startMs + 3000, (held) => held.forget('all'))
  expect([...object.kv.values.keys()]).toEqual([])
  await object.changed('Ada once more', startMs + 5000, [])
  expect([...object.kv.values.keys()]).toEqual([])
})

test.each([['that one', ['phone']] as const, ['all', 'all'] as const])(
  '[N4] [C7] a connect that was under way when %s ended writes nothing for the session, and nothing follows',
  async (_what, ended) => {
    const object = newObject()
    await object.changed('Ada', startMs, ['phone'])
    await object.at(startMs + 2000, (held) => held.forget(ended))
    // The connect ends; then its session is ended behind it.
    await object.joined(['phone'], startMs + 3000)
    await object.at(startMs + 3001, (held) => held.forget(ended))
    await object.changed('Grace', startMs + 6000, [])
    expect([...object.kv.values.keys()]).toEqual([])
    expect(object.kv.puts).toHaveLength(1)
  },
)

test('[N4] [C7] one that had no hint before, and gets one from a connect under way, loses it behind that connect', async () => {
  const object = newObject()
  await object.at(startMs, (held) => held.forget('all'))
  await object.changed('Ada', startMs + 1, ['phone'])
  await object.at(startMs + 2, (held) => held.forget('all'))
  expect([...object.kv.values.keys()]).toEqual([])
})

test('[N4] what goes on without anybody connected is written for those who were here last', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  await object.changed('answered', startMs + 60_000, [])
  expect(object.hint()?.rows.settings?.nickname).toBe('answered')
})

test('[N5] [C7] what cannot be stored keeps nobody from ending sessions, and is forgotten when it is told again', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  const mend = failToRemember(object)
  await object.at(startMs + 1, (held) => held.forget(['laptop']))
  mend()
  await object.at(startMs + 2, (held) => held.forget(['laptop']))
  expect([...object.kv.values.keys()]).toEqual([])
  await object.at(startMs + 3, (held) => held.forget(['laptop']))
  expect(object.kv.deletes).toEqual([hintKey(userId, 'laptop')])
})

test('[N4] a key of a session that was written before, and is no reader now, goes with the next change', async () => {
  const object = newObject()
  await object.changed('Ada', startMs, ['laptop', 'phone'])
  expect(object.hint('phone')).not.toBeNull()
  await object.changed('Grace', startMs + 2000, ['laptop'])
  expect(object.hint('laptop')).toMatchObject({ rows: { settings: { nickname: 'Grace' } } })
  expect(object.kv.values.has(hintKey(userId, 'phone'))).toBe(false)
})
