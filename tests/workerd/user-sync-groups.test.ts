// What an object stores for a client group, and when it deletes it. Rules: worker/sync/SPEC.md, C8, H3, P4, Q3.
import { beforeAll, expect, test } from 'vitest'
import { clientSchema } from '../support/client-schema.ts'
import { evict, inside } from './sync-object.ts'
import { connected, connectWire, me, newUser, type SyncUser } from './sync-wire.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
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
