// Queries after a deploy: what a name means now, what it meant, and what means nothing any more. Rules: worker/sync/SPEC.md, Q.
import { beforeAll, describe, expect, test } from 'vitest'
import { objectSql } from '../../worker/sync/object-sql.ts'
import { wasEarlier } from '../sim/engine/earlier-layout.ts'
import { connected, env, evict, inside, me, newPerson, type Person, putQuery } from './sync-wire.ts'

let ada: Person
beforeAll(async () => {
  ada = await newPerson()
})

const models = { hash: 'models', name: 'models.all', args: [] }

describe('[Q4] what a deploy changes', () => {
  const storedAst = (groupID: string, hash: string, ast: string, name = 'models.all') =>
    inside(ada, (_object, { storage }) => {
      storage.sql.exec('update z_query set ast = ?, name = ? where gid = ? and hash = ?', ast, name, groupID, hash)
    }).then(() => evict(ada))

  test('a query that means something else now is answered anew; one that is gone is an error', async () => {
    const wire = await connected(ada, { queries: [me, models] })
    await wire.close()
    await storedAst(wire.groupID, 'models', JSON.stringify({ table: 'model', limit: 1, orderBy: [['position', 'asc']] }))
    const back = await wire.again()
    await back.hears('pokeEnd')
    await back.close()
    expect(back.rowsOf('model').length).toBeGreaterThan(20)
    await storedAst(wire.groupID, 'models', JSON.stringify({ table: 'model' }), 'models.gone')
    const later = await back.again()
    expect(await later.hears('transformError')).toMatchObject([{ id: 'models', name: 'models.gone' }])
    await later.close()
  })
})

test('[Q4] [Q2] one that lost its meaning is an error to every page that wants it, whenever it comes; with its meaning its rows are back', async () => {
  const person = await newPerson()
  const query = { ...models, hash: 'lost' }
  const a = await connected(person, { queries: [me, query] })
  const b = await connected(person, { params: { clientGroupID: a.groupID }, queries: [me, query] })
  const c = await connected(person, { params: { clientGroupID: a.groupID }, queries: [me, query] })
  await Promise.all([a.close(), b.close(), c.close()])
  const deploy = async (name: string) => {
    await inside(person, (_object, { storage }) => void storage.sql.exec("update z_query set name = ? where hash = 'lost'", name))
    await evict(person)
  }
  await deploy('models.gone')
  const backs = [await a.again(), await b.again()]
  for (const back of backs) {
    expect(await back.hears('transformError')).toMatchObject([{ id: 'lost', name: 'models.gone' }])
    expect([back.desired, back.got]).toEqual([new Set(['me']), new Set(['me'])])
    await back.close()
  }
  // Its page knows that it desires this no more, and asks again.
  const later = await backs[0]?.again({ init: { desiredQueriesPatch: [putQuery({ ...query, name: 'models.gone' })] } })
  expect(await later?.hears('transformError')).toMatchObject([{ id: 'lost' }])
  await later?.close()
  // It was away all the while, and says nothing new.
  await deploy('models.all')
  const slept = await c.again()
  await slept.hears('pokeEnd')
  expect(slept.frames.map(([tag]) => tag)).not.toContain('transformError')
  expect([slept.desired, slept.got]).toEqual([new Set(['me', 'lost']), new Set(['me', 'lost'])])
  expect(slept.rowsOf('model').length).toBeGreaterThan(20)
  await slept.close()
})

test('[Q4] a definition that changed moves its clients exactly: rows that only the old one covered go, those of the new one come', async () => {
  const person = await newPerson()
  const insert = env.DB.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, ?, ?)')
  await env.DB.batch(Array.from({ length: 7 }, (_, i) => insert.bind(`${person.userId}-${i}`, person.userId, i, i)))
  const wire = await connected(person, { queries: [me, { hash: 'moved', name: 'models.all', args: [] }] })
  const all = wire.rowsOf('model').length
  await wire.close()
  // As a deploy would have it: the name and arguments behind this hash mean the newest five threads from now on.
  await inside(person, (_object, { storage }) => {
    storage.sql.exec("update z_query set name = 'threads.list', args = ? where hash = 'moved'", JSON.stringify([{ limit: 5 }]))
  })
  await evict(person)
  const back = await wire.again()
  await back.hears('pokeEnd')
  expect(back.rowsOf('thread').map(({ updatedAt }) => updatedAt)).toEqual([6, 5, 4, 3, 2])
  // `me` still needs the model of the setting; that row is not told again.
  expect(back.rowsOf('model').map(({ id }) => id)).toEqual(['kimi-k2'])
  expect(back.rowOps).toBe(all - 1 + 5)
  expect(back.got).toEqual(new Set(['me', 'moved']))
  await back.close()
})

test('[E21] somebody went back to an earlier release and on again: what it has added is told', async () => {
  const person = await newPerson()
  const wire = await connected(person, { queries: [me, models] })
  await inside(person, (_object, { storage }) => {
    wasEarlier(objectSql(storage))
    storage.sql.exec('update z_query set reach = null, pin = null')
  })
  await evict(person)
  wire.push([{ name: 'settings.update', args: { nickname: 'Now' } }])
  await wire.until(() => wire.rowsOf('setting')[0]?.nickname === 'Now', 'what it wrote')
  const late = await connected(person, { params: { clientGroupID: wire.groupID }, queries: [me] })
  expect(late.got).toEqual(new Set(['me', 'models']))
  await wire.close()
  await late.close()
})
