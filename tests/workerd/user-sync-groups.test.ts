// What an object keeps of a client group, how it comes by it, and when it lets go of it. Rules: worker/sync/SPEC.md, C2, C4, H3.
import { beforeAll, expect, test } from 'vitest'
import { clientSchema } from '../support/client-schema.ts'
import { connected, connectWire, evict, inside, me, newPerson, type Person } from './sync-wire.ts'

let ada: Person
beforeAll(async () => {
  ada = await newPerson()
})

const left = (person: Person) =>
  inside(person, (_object, { storage }) =>
    ['sync_group', 'sync_client', 'sync_result'].map((table) => storage.sql.exec<{ n: number }>(`select count(*) n from ${table}`).one().n),
  )

test('[H3] a group that never says what it wants is forgotten like any other, with all that it has pushed', async () => {
  const person = await newPerson()
  const wire = await connectWire(person, { init: null })
  await wire.hears('connected')
  wire.push([
    { name: 'threads.nothing', args: {} },
    { name: 'settings.update', args: { nickname: 'Pushed' } },
  ])
  // It is poked nothing; the ping waits behind the push.
  await wire.caughtUp()
  await wire.close()
  expect(await left(person)).toEqual([1, 1, 1])
  await inside(person, (_object, { storage }) => void storage.sql.exec('update sync_group set seenAtMs = 1'))
  await (await connected(person, { queries: [me] })).close()
  expect(await left(person)).toEqual([1, 0, 0])
})

/** As if this browser had been told of a column that a deploy has taken away since. */
const forgetColumn = (person: Person, groupID: string) =>
  inside(person, (_object, { storage }) => {
    const path = '$.tables.thread.columns.gone'
    storage.sql.exec(
      `update sync_group set clientSchema = json_set(clientSchema, ?, json('{"type":"string"}')) where id = ?`,
      path,
      groupID,
    )
  })

test('[C2] a deploy that no longer has what a browser knows is told at its next connect', async () => {
  const wire = await connected(ada, { queries: [me] })
  await wire.close()
  await forgetColumn(ada, wire.groupID)
  const back = await wire.again()
  expect(await back.hears('error')).toMatchObject({ kind: 'SchemaVersionNotSupported' })
  await back.untilClosed()
})

test('[C2] [C4] so it is when the group has started over meanwhile, and says its schema no more', async () => {
  const person = await newPerson()
  const wire = await connected(person, { queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'Ada' }))
  await wire.close()
  await inside(person, (_object, { storage }) => storage.deleteAll())
  await evict(person)
  const cleared = await wire.again()
  await cleared.untilClosed()
  const schema = await inside(person, (_object, { storage }) =>
    storage.sql.exec<{ clientSchema: string }>('select clientSchema from sync_group where id = ?', wire.groupID).one(),
  )
  expect(JSON.parse(schema.clientSchema)).toEqual(clientSchema())
  const back = await cleared.again()
  await back.hears('pokeEnd')
  await back.close()
  await forgetColumn(person, wire.groupID)
  const late = await back.again()
  expect(await late.hears('error')).toMatchObject({ kind: 'SchemaVersionNotSupported' })
  await late.untilClosed()
})

test('[C2] a group that an earlier release started over, and knows no schema of, has one from its next connect on', async () => {
  const wire = await connected(ada, { queries: [me] })
  await wire.close()
  await inside(ada, (_object, { storage }) => {
    storage.sql.exec('update sync_group set clientSchema = null where id = ?', wire.groupID)
  })
  const back = await wire.again()
  await back.hears('pokeEnd')
  await back.close()
  await forgetColumn(ada, wire.groupID)
  const late = await connectWire(ada, {
    params: { clientGroupID: wire.groupID, clientID: wire.clientID, baseCookie: back.cookie ?? '' },
    init: { desiredQueriesPatch: [] },
  })
  expect(await late.hears('error')).toMatchObject({ kind: 'SchemaVersionNotSupported' })
  await late.untilClosed()
})
