// What an object stores for a client group, and when it deletes it. Rules: worker/sync/SPEC.md, C8, H3, P4, Q3.
import { beforeAll, expect, test } from 'vitest'
import { clientSchema } from '../support/client-schema.ts'
import { evict, inside } from './sync-object.ts'
import { connected, connectWire, me, newUser, putQuery, type SyncUser } from './sync-wire.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

const left = (user: SyncUser) =>
  inside(user, (_object, { storage }) =>
    ['sync_group', 'sync_client', 'sync_result'].map((table) => storage.sql.exec<{ n: number }>(`select count(*) n from ${table}`).one().n),
  )

test('[H3] deletes a group without queries like any other, with its progress and results', async () => {
  const user = await newUser()
  const wire = await connectWire(user, { init: null })
  await wire.receives('connected')
  wire.push([
    { name: 'threads.nothing', args: {} },
    { name: 'settings.update', args: { nickname: 'Pushed' } },
  ])
  // It receives no poke; the ping waits for the push.
  await wire.settled()
  await wire.close()
  expect(await left(user)).toEqual([1, 1, 1])
  await inside(user, (_object, { storage }) => void storage.sql.exec('update sync_group set seenAtMs = 1'))
  await (await connected(user, { queries: [me] })).close()
  expect(await left(user)).toEqual([1, 0, 0])
})

/** As if this client's schema had a column that a deploy removed. */
const forgetColumn = (user: SyncUser, groupID: string) =>
  inside(user, (_object, { storage }) => {
    const path = '$.tables.thread.columns.gone'
    storage.sql.exec(
      `update sync_group set clientSchema = json_set(clientSchema, ?, json('{"type":"string"}')) where id = ?`,
      path,
      groupID,
    )
  })

test('[C8] refuses the stored schema of a client at its next connect after a deploy', async () => {
  const wire = await connected(ada, { queries: [me] })
  await wire.close()
  await forgetColumn(ada, wire.groupID)
  const back = await wire.reconnect()
  expect(await back.receives('error')).toMatchObject({ kind: 'SchemaVersionNotSupported' })
  await back.untilClosed()
})

test("[C8] a group that starts over gets the server's schema, which later connects check", async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'Ada' }))
  await wire.close()
  await inside(user, (_object, { storage }) => storage.deleteAll())
  await evict(user)
  const cleared = await wire.reconnect()
  await cleared.untilClosed()
  const schema = await inside(user, (_object, { storage }) =>
    storage.sql.exec<{ clientSchema: string }>('select clientSchema from sync_group where id = ?', wire.groupID).one(),
  )
  expect(JSON.parse(schema.clientSchema)).toEqual(clientSchema())
  const back = await cleared.reconnect()
  await back.receives('pokeEnd')
  await back.close()
  await forgetColumn(user, wire.groupID)
  const late = await back.reconnect()
  expect(await late.receives('error')).toMatchObject({ kind: 'SchemaVersionNotSupported' })
  await late.untilClosed()
})

test('[C8] a group without a stored schema has one after its next connect', async () => {
  const wire = await connected(ada, { queries: [me] })
  await wire.close()
  await inside(ada, (_object, { storage }) => {
    storage.sql.exec('update sync_group set clientSchema = null where id = ?', wire.groupID)
  })
  const back = await wire.reconnect()
  await back.receives('pokeEnd')
  await back.close()
  await forgetColumn(ada, wire.groupID)
  const late = await connectWire(ada, {
    params: { clientGroupID: wire.groupID, clientID: wire.clientID, baseCookie: back.cookie ?? '' },
    init: { desiredQueriesPatch: [] },
  })
  expect(await late.receives('error')).toMatchObject({ kind: 'SchemaVersionNotSupported' })
  await late.untilClosed()
})

test('[P4] the results of a deleted client are deleted', async () => {
  const user = await newUser()
  const dead = await connected(user, { queries: [me] })
  await dead.confirmed(dead.mutate('threads.nothing', {}))
  expect(dead.results.size).toBe(1)
  await dead.close()
  const params = { clientGroupID: dead.groupID }
  const heir = await connected(user, { params, queries: [me] })
  expect(heir.results.size).toBe(1)
  heir.send(['deleteClients', { clientIDs: [dead.clientID] }])
  await heir.until(() => heir.results.size === 0, 'the end of it')
  // Another page delivers its unsent mutation; the next init lists the active clients.
  heir.push([{ name: 'threads.nothing', args: {}, id: 2, clientID: dead.clientID }])
  await heir.confirmed(2, dead.clientID)
  expect(heir.results.size).toBe(1)
  const init = { desiredQueriesPatch: [putQuery(me)], clientSchema: clientSchema(), activeClients: [heir.clientID] }
  const next = await connected(user, { params, init })
  expect(next.results.size).toBe(0)
  await heir.until(() => heir.results.size === 0, 'the end of that too')
  await Promise.all([heir.close(), next.close()])
})

test('[Q3] the clock of a group stops when the server closes its last connection', async () => {
  const user = await newUser()
  const [one, two] = [await connected(user, { queries: [me] }), await connected(user)]
  const running = () =>
    inside(user, (_object, { storage }) =>
      storage.sql.exec<{ id: string }>('select id from sync_group where connectedSinceMs is not null').toArray(),
    )
  expect(await running()).toHaveLength(2)
  const ended = await inside(user, (object, state) => {
    const [socket] = state.getWebSockets(`client:${one.clientID}`)
    const { sessionId } = (socket?.deserializeAttachment() ?? {}) as { sessionId: string }
    // As if the platform did not report that they are closed.
    object.webSocketClose = async () => undefined
    void object.endSessions([sessionId])
    return state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length
  })
  expect([ended, await running()]).toEqual([0, []])
  await Promise.all([one.untilClosed(), two.untilClosed()])
})
