// Connecting: every check in its order, and its answer. Rules: worker/sync/SPEC.md, C.
import { beforeAll, describe, expect, test } from 'vitest'
import { clientSchema } from '../support/client-schema.ts'
import { content, worker } from './bindings.ts'
import { evict, inside, kill } from './sync-object.ts'
import { connected, connectWire, me, newUser, origin, putQuery, type SyncUser, threadList, type WireOptions } from './sync-wire.ts'

let ada: SyncUser
let bob: SyncUser
beforeAll(async () => {
  ada = await newUser()
  bob = await newUser()
})

async function framesOfRefused(user: SyncUser, options: WireOptions) {
  const wire = await connectWire(user, options)
  await wire.untilClosed()
  return wire.frames
}

const error = (kind: string) => [['error', expect.objectContaining({ kind, origin: 'zeroCache', message: expect.any(String) })]]

describe('[C1] the Worker', () => {
  test('refuses another version of the protocol', async () => {
    expect(await framesOfRefused(ada, { path: '/sync/v50/connect' })).toEqual(error('VersionNotSupported'))
    expect(await framesOfRefused(ada, { path: '/sync/v52/connect', token: null })).toEqual(error('VersionNotSupported'))
  })

  test('refuses a missing token, a forged one and the token of another user', async () => {
    expect(await framesOfRefused(ada, { token: null })).toEqual(error('Unauthorized'))
    expect(await framesOfRefused(ada, { token: 'a.b.c' })).toEqual(error('Unauthorized'))
    expect(await framesOfRefused(ada, { token: bob.token })).toEqual(error('Unauthorized'))
  })

  test('refuses malformed parameters and a malformed sub-protocol', async () => {
    expect(await framesOfRefused(ada, { params: { clientID: '' } })).toEqual(error('InvalidConnectionRequest'))
    expect(await framesOfRefused(ada, { params: { lmid: 'many' } })).toEqual(error('InvalidConnectionRequest'))
    expect(await framesOfRefused(ada, { headers: { 'sec-websocket-protocol': 'not-base64!' } })).toEqual(error('InvalidConnectionRequest'))
  })

  test('refuses a page of another origin', async () => {
    expect(await framesOfRefused(ada, { headers: { origin: 'https://elsewhere.example' } })).toEqual(error('InvalidConnectionRequest'))
    expect(await framesOfRefused(ada, { headers: { origin: 'null' } })).toEqual(error('InvalidConnectionRequest'))
    expect(await framesOfRefused(ada, { headers: { origin: origin.replace('http:', 'https:') } })).toEqual(
      error('InvalidConnectionRequest'),
    )
    const own = await connected(ada, { headers: { origin } })
    await own.close()
  })

  test('answers a request without an upgrade with HTTP 426', async () => {
    const answer = await worker.fetch(`${origin}/sync/v51/connect`)
    expect(answer.status).toBe(426)
  })
})

describe('[C2] the object', () => {
  test('refuses a cookie of an unknown group', async () => {
    expect(await framesOfRefused(ada, { params: { baseCookie: '00' } })).toEqual(error('ClientNotFound'))
  })

  test.each([
    ['an unknown table', { tables: { notes: { columns: {}, primaryKey: ['id'] } } }],
    ['an unknown column', { tables: { thread: { columns: { colour: { type: 'string' } }, primaryKey: ['id'] } } }],
    ['another type', { tables: { thread: { columns: { title: { type: 'number' } }, primaryKey: ['id'] } } }],
    ['another key', { tables: { thread: { columns: {}, primaryKey: ['userId'] } } }],
  ])('refuses a schema with %s', async (_what, schema) => {
    expect(await framesOfRefused(ada, { init: { desiredQueriesPatch: [], clientSchema: schema } })).toEqual(
      error('SchemaVersionNotSupported'),
    )
  })
})

test('[C9] the group and client of another user behave like unknown ids', async () => {
  const bobs = await connected(bob, { queries: [me] })
  await bobs.confirmed(bobs.mutate('settings.update', { nickname: 'Bob' }))
  const params = { clientGroupID: bobs.groupID, clientID: bobs.clientID }
  // With a cookie the same answer as for an unknown group, without one a new group.
  const cookie = { baseCookie: bobs.cookie ?? '' }
  const unknown = await framesOfRefused(ada, { params: cookie })
  expect(await framesOfRefused(ada, { params: { ...params, ...cookie } })).toEqual(unknown)
  const adas = await connected(ada, { params, queries: [me] })
  await adas.confirmed(adas.mutate('settings.update', { nickname: 'Ada' }))
  await bobs.confirmed(bobs.mutate('settings.update', { nickname: 'Still Bob' }))
  await Promise.all([adas.settled(), bobs.settled()])
  const seen = [adas, bobs].map((wire) => [wire.rowsOf('setting')[0]?.nickname, wire.lastMutationIDs.get(bobs.clientID)])
  expect(seen).toEqual([
    ['Ada', 1],
    ['Still Bob', 2],
  ])
  await adas.close()
  await bobs.close()
})

describe('[C3] an accepted connection', () => {
  test('echoes the sub-protocol and sends `connected` with its wsid, then one poke', async () => {
    const wire = await connected(ada, { queries: [me], params: { wsid: 'mine' } })
    expect(wire.response.headers.get('sec-websocket-protocol')).toMatch(/^[A-Za-z0-9%]+$/)
    expect(wire.frames[0]).toEqual(['connected', { wsid: 'mine', timestamp: expect.any(Number) }])
    expect(wire.frames[1]).toEqual(['pokeStart', { pokeID: 'p', baseCookie: null }])
    expect(wire.frames.filter(([tag]) => tag === 'pokeStart')).toHaveLength(1)
    expect(wire.got).toEqual(new Set(['me']))
    expect(wire.desired).toEqual(new Set(['me']))
    expect(wire.row('user', ada.userId)).toMatchObject({ id: ada.userId, isAnonymous: true, emailVerified: false })
    expect(wire.rowsOf('setting')).toMatchObject([{ userId: ada.userId, mode: 'dark', pinnedModels: expect.any(Array) }])
    await wire.close()
  })

  test('receives one poke without queries or changes; a reconnect receives no row again', async () => {
    const wire = await connected(ada, { queries: [me, threadList] })
    await wire.close()
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    await back.settled()
    expect(back.frames.map(([tag]) => tag)).toEqual(['connected', 'pokeStart', 'pokeEnd', 'pong'])
    expect(back.cookie).toBe(wire.cookie)
    expect(back.rowOps).toBe(0)
    await back.close()
  })

  test('receives only what it missed', async () => {
    const wire = await connected(ada, { queries: [me, threadList] })
    await wire.close()
    await content.prepare('update setting set nickname = ? where userId = ?').bind('Missed', ada.userId).run()
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    expect(back.rowsOf('setting')).toMatchObject([{ nickname: 'Missed' }])
    expect(back.rowOps).toBe(1)
    await back.close()
  })

  test('replaces an older connection of the same client', async () => {
    const older = await connected(ada, { queries: [me] })
    const newer = await older.reconnect()
    expect((await older.untilClosed()).code).toBe(1000)
    await newer.receives('pokeEnd')
    await newer.close()
  })

  test('accepts init as a message', async () => {
    const wire = await connectWire(ada, { init: null })
    await wire.receives('connected')
    await wire.settled()
    expect(wire.frames.some(([tag]) => tag === 'pokeStart')).toBe(false)
    wire.send([
      'initConnection',
      { desiredQueriesPatch: [{ op: 'put', hash: 'me', name: 'me', args: [], ttl: 0 }], clientSchema: clientSchema() },
    ])
    await wire.receives('pokeEnd')
    expect(wire.got).toEqual(new Set(['me']))
    await wire.close()
  })

  test('closes after a late init without a schema and after a second init', async () => {
    const without = await connectWire(ada, { init: null })
    without.send(['initConnection', { desiredQueriesPatch: [] }])
    expect(await without.receives('error')).toMatchObject({ kind: 'InvalidConnectionRequest' })
    const twice = await connected(ada)
    twice.send(['initConnection', { desiredQueriesPatch: [], clientSchema: clientSchema() }])
    expect(await twice.receives('error')).toMatchObject({ kind: 'InvalidMessage' })
  })
})

test('[C4] a group that only D1 knows is cleared, closed and continues with its progress', async () => {
  const wire = await connected(ada, { queries: [me] })
  const id = wire.mutate('settings.update', { nickname: 'Kept' })
  await wire.confirmed(id)
  await wire.close()
  await inside(ada, (_object, { storage }) => {
    for (const table of ['sync_group', 'sync_client', 'sync_desire'])
      storage.sql.exec(`delete from ${table} where ${table === 'sync_group' ? 'id' : 'groupID'} = ?`, wire.groupID)
  })
  const cleared = await wire.reconnect()
  expect((await cleared.untilClosed()).code).toBe(1000)
  expect(cleared.frames.map(([tag]) => tag)).toEqual(['connected', 'pokeStart', 'pokePart', 'pokePart', 'pokeEnd'])
  expect(cleared.frames[2]?.[1]).toMatchObject({ rowsPatch: [{ op: 'clear' }] })
  expect(cleared.lastMutationIDs.get(wire.clientID)).toBe(id)
  const back = await cleared.reconnect({
    init: { desiredQueriesPatch: [{ op: 'put', hash: 'me', name: 'me', args: [], ttl: 0 }] },
    params: { lmid: String(id) },
  })
  await back.receives('pokeEnd')
  expect(back.rowsOf('setting')).toMatchObject([{ nickname: 'Kept' }])
  await back.close()
})

/** The object's storage is lost, as after a fault of the platform; only D1 remains. */
const loseStorage = (user: SyncUser) =>
  inside(user, async (_object, { storage }) => {
    for (const { name } of storage.sql.exec<{ name: string }>("select name from sqlite_master where type = 'table'").toArray())
      if (!name.startsWith('_')) storage.sql.exec(`delete from "${name}"`)
  }).then(() => kill(user))

test('[C2] [C4] a browser without confirmed mutations keeps its unsent ones when the object lost its storage', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  await loseStorage(user)
  await wire.untilClosed()
  const cleared = await wire.reconnect()
  expect((await cleared.untilClosed()).code).toBe(1000)
  expect(cleared.frames.some(([tag]) => tag === 'error')).toBe(false)
  const back = await cleared.reconnect({ init: { desiredQueriesPatch: [putQuery(me)] } })
  await back.confirmed(back.mutate('settings.update', { nickname: 'At last' }))
  expect(back.rowsOf('setting')).toMatchObject([{ nickname: 'At last' }])
  await back.close()
})

test('[C5] an expired token is refused at the next message; a new one keeps the connection', async () => {
  const wire = await connected(ada, { queries: [me] })
  const expire = () =>
    inside(ada, (_object, state) => {
      for (const socket of state.getWebSockets(`client:${wire.clientID}`))
        socket.serializeAttachment({ ...socket.deserializeAttachment(), expiresAtMs: 1 })
    }).then(() => evict(ada))
  await expire()
  wire.send(['updateAuth', { auth: ada.token }])
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'Again' }))
  await expire()
  wire.mutate('settings.update', { nickname: 'Too late' })
  expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
  await wire.untilClosed()
})

test('[C6] a token renewed right after a wake keeps the cookie of the wake', async () => {
  const wire = await connected(ada, { queries: [me] })
  await evict(ada)
  await content.prepare('update setting set nickname = ? where userId = ?').bind('While asleep', ada.userId).run()
  wire.send(['updateAuth', { auth: ada.token }])
  await wire.until(() => wire.rowsOf('setting')[0]?.nickname === 'While asleep', 'the wake')
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'Awake' }))
  await wire.close()
})

test('[C6] a token of another user ends the connection', async () => {
  const wire = await connected(ada)
  wire.send(['updateAuth', { auth: bob.token }])
  expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
  await wire.untilClosed()
})
