// Queries after a deploy: names with another AST and removed names. Rules: worker/sync/SPEC.md, Q2 and Q4.

import { expect, test } from 'vitest'
import { content } from './bindings.ts'
import { evict, inside } from './sync-object.ts'
import { connected, me, models, newUser, putQuery } from './sync-wire.ts'

test('[Q4] [Q2] a removed name is an error for every page that wants it; restored, its rows return', async () => {
  const user = await newUser()
  const query = { ...models, hash: 'lost' }
  const a = await connected(user, { queries: [me, query] })
  const b = await connected(user, { params: { clientGroupID: a.groupID }, queries: [me, query] })
  const c = await connected(user, { params: { clientGroupID: a.groupID }, queries: [me, query] })
  await Promise.all([a.close(), b.close(), c.close()])
  const deploy = async (name: string) => {
    await inside(user, (_object, { storage }) => void storage.sql.exec("update z_query set name = ? where hash = 'lost'", name))
    await evict(user)
  }
  await deploy('models.gone')
  const backs = [await a.reconnect(), await b.reconnect()]
  for (const back of backs) {
    expect(await back.receives('transformError')).toMatchObject([{ id: 'lost', name: 'models.gone' }])
    expect([back.desired, back.got]).toEqual([new Set(['me']), new Set(['me'])])
    await back.close()
  }
  // Its page knows that the query is no longer desired, and asks again.
  const later = await backs[0]?.reconnect({ init: { desiredQueriesPatch: [putQuery({ ...query, name: 'models.gone' })] } })
  expect(await later?.receives('transformError')).toMatchObject([{ id: 'lost' }])
  await later?.close()
  // This client was offline all the time and sends no change.
  await deploy('models.all')
  const slept = await c.reconnect()
  await slept.receives('pokeEnd')
  expect(slept.frames.map(([tag]) => tag)).not.toContain('transformError')
  expect([slept.desired, slept.got]).toEqual([new Set(['me', 'lost']), new Set(['me', 'lost'])])
  expect(slept.rowsOf('model').length).toBeGreaterThan(20)
  await slept.close()
})

test('[Q4] a changed definition deletes rows that only the old one covered and sends those of the new one', async () => {
  const user = await newUser()
  const insert = content.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, ?, ?)')
  await content.batch(Array.from({ length: 7 }, (_, i) => insert.bind(`${user.userId}-${i}`, user.userId, i, i)))
  const wire = await connected(user, { queries: [me, { hash: 'moved', name: 'models.all', args: [] }] })
  const all = wire.rowsOf('model').length
  await wire.close()
  // As after a deploy: name and arguments of this hash now mean the newest five threads.
  await inside(user, (_object, { storage }) => {
    storage.sql.exec("update z_query set name = 'threads.list', args = ? where hash = 'moved'", JSON.stringify([{ limit: 5 }]))
  })
  await evict(user)
  const back = await wire.reconnect()
  await back.receives('pokeEnd')
  expect(back.rowsOf('thread').map(({ updatedAt }) => updatedAt)).toEqual([6, 5, 4, 3, 2])
  // `me` still needs the model of the setting; that row is not sent again.
  expect(back.rowsOf('model').map(({ id }) => id)).toEqual(['kimi-k2'])
  expect(back.rowOps).toBe(all - 1 + 5)
  expect(back.got).toEqual(new Set(['me', 'moved']))
  await back.close()
})
