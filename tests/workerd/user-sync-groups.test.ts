// What an object keeps of a client group, how it comes by it, and when it lets go of it. Rules: worker/sync/SPEC.md, C2, C4, H3.
import { beforeAll, expect, test } from 'vitest'
import { clientSchema } from '../support/client-schema.ts'
import { connected, connectWire, evict, inside, me, newPerson, type Person, putQuery } from './sync-wire.ts'

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

test('[P4] [Q2] the refusals of a page that is gone go with it: nobody would acknowledge them, and every new page would be told', async () => {
  const person = await newPerson()
  const dead = await connected(person, { queries: [me] })
  await dead.confirmed(dead.mutate('threads.nothing', {}))
  expect(dead.results.size).toBe(1)
  await dead.close()
  const params = { clientGroupID: dead.groupID }
  const heir = await connected(person, { params, queries: [me] })
  expect(heir.results.size).toBe(1)
  heir.send(['deleteClients', { clientIDs: [dead.clientID] }])
  await heir.until(() => heir.results.size === 0, 'the end of it')
  // What it left unsent, another page delivers; whoever comes next says who lives.
  heir.push([{ name: 'threads.nothing', args: {}, id: 2, clientID: dead.clientID }])
  await heir.confirmed(2, dead.clientID)
  expect(heir.results.size).toBe(1)
  const init = { desiredQueriesPatch: [putQuery(me)], clientSchema: clientSchema(), activeClients: [heir.clientID] }
  const next = await connected(person, { params, init })
  expect(next.results.size).toBe(0)
  await heir.until(() => heir.results.size === 0, 'the end of that too')
  await Promise.all([heir.close(), next.close()])
})

test('[Q3] [C7] the clock of a group stops with its last connection, whatever its client answers', async () => {
  const person = await newPerson()
  const [one, two] = [await connected(person, { queries: [me] }), await connected(person)]
  const running = () =>
    inside(person, (_object, { storage }) =>
      storage.sql.exec<{ id: string }>('select id from sync_group where connectedSinceMs is not null').toArray(),
    )
  expect(await running()).toHaveLength(2)
  const ended = await inside(person, (object, state) => {
    const [socket] = state.getWebSockets(`client:${one.clientID}`)
    const { sessionId } = (socket?.deserializeAttachment() ?? {}) as { sessionId: string }
    // As if the platform never said that they are closed.
    object.webSocketClose = async () => undefined
    void object.endSessions([sessionId])
    return state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length
  })
  expect([ended, await running()]).toEqual([0, []])
  await Promise.all([one.untilClosed(), two.untilClosed()])
})
