// Which keys are written, and what happens to them when sessions end. Rules: worker/first-page/SPEC.md, N4, N5.
import { afterEach, expect, test, vi } from 'vitest'
import { firstPageKey } from '../../../worker/db/first-page.ts'
import { failWriteRecord, newObject, startMs, userId } from './first-page-object.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

test('[N4] another session gets its own key; the first is not written again', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  await object.connected(['laptop', 'phone'], startMs + 2000)
  expect(object.kv.puts.map(({ key }) => key)).toEqual([firstPageKey(userId, 'laptop'), firstPageKey(userId, 'phone')])
})

test('[N4] the value of an ended session is deleted once and not written again', async () => {
  const object = newObject()
  await object.changed('Ada', startMs, ['laptop', 'phone'])
  await object.at(startMs + 1, (held) => held.forget(['phone']))
  await object.at(startMs + 2, (held) => held.forget(['phone']))
  expect(object.kv.deletes).toEqual([firstPageKey(userId, 'phone')])
  await object.changed('Ada again', startMs + 2000, [])
  expect([...object.kv.values.keys()]).toEqual([firstPageKey(userId, 'laptop')])
  await object.at(startMs + 3000, (held) => held.forget('all'))
  expect([...object.kv.values.keys()]).toEqual([])
  await object.changed('Ada once more', startMs + 5000, [])
  expect([...object.kv.values.keys()]).toEqual([])
})

test.each([['that one', ['phone']] as const, ['all', 'all'] as const])(
  '[N4] a connect in flight when %s ended writes nothing for the session',
  async (_what, ended) => {
    const object = newObject()
    await object.changed('Ada', startMs, ['phone'])
    await object.at(startMs + 2000, (held) => held.forget(ended))
    // The connect ends; then its session ends.
    await object.connected(['phone'], startMs + 3000)
    await object.at(startMs + 3001, (held) => held.forget(ended))
    await object.changed('Grace', startMs + 6000, [])
    expect([...object.kv.values.keys()]).toEqual([])
    expect(object.kv.puts).toHaveLength(1)
  },
)

test('[N4] a value that a connect in flight wrote for an ended session is deleted', async () => {
  const object = newObject()
  await object.at(startMs, (held) => held.forget('all'))
  await object.changed('Ada', startMs + 1, ['phone'])
  await object.at(startMs + 2, (held) => held.forget('all'))
  expect([...object.kv.values.keys()]).toEqual([])
})

test('[N4] without connections the keys of the last sessions are written', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  await object.changed('answered', startMs + 60_000, [])
  expect(object.firstPage()?.rows.settings?.nickname).toBe('answered')
})

test('[N5] a storage failure does not stop the end of a session; the next call deletes the value', async () => {
  const object = newObject()
  await object.changed('Ada', startMs)
  const mend = failWriteRecord(object)
  await object.at(startMs + 1, (held) => held.forget(['laptop']))
  mend()
  await object.at(startMs + 2, (held) => held.forget(['laptop']))
  expect([...object.kv.values.keys()]).toEqual([])
  await object.at(startMs + 3, (held) => held.forget(['laptop']))
  expect(object.kv.deletes).toEqual([firstPageKey(userId, 'laptop')])
})

test('[N4] the key of a session without a connection is deleted with the next change', async () => {
  const object = newObject()
  await object.changed('Ada', startMs, ['laptop', 'phone'])
  expect(object.firstPage('phone')).not.toBeNull()
  await object.changed('Grace', startMs + 2000, ['laptop'])
  expect(object.firstPage('laptop')).toMatchObject({ rows: { settings: { nickname: 'Grace' } } })
  expect(object.kv.values.has(firstPageKey(userId, 'phone'))).toBe(false)
})
