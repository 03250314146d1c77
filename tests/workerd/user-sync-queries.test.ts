// Named queries, desired queries per client, and times to live. Rules: worker/sync/SPEC.md, Q1 to Q3, K1 and K2.

import { beforeAll, describe, expect, test } from 'vitest'
import { clientSchema } from '../support/client-schema.ts'
import { content } from './bindings.ts'
import { fireAlarm, inside, stubOf } from './sync-object.ts'
import { connected, freshId, me, models, newUser, putQuery, type SyncUser } from './sync-wire.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

describe('[Q1] a refused query is an error of that query only', () => {
  test.each([
    ['an unknown name', { hash: 'h', name: 'threads.all', args: [] }, 'app', /unknown query/],
    ['a folder of queries', { hash: 'h', name: 'threads', args: [] }, 'app', /unknown query/],
    ['what every object inherits', { hash: 'h', name: 'constructor', args: [] }, 'app', /unknown query/],
    ['arguments that fail their schema', { hash: 'h', name: 'threads.list', args: [{ limit: 0 }] }, 'parse', /Validation failed/],
    ['no arguments where some are needed', { hash: 'h', name: 'threads.one', args: [] }, 'parse', /Validation failed/],
    ['an AST of its own', { hash: 'h', ast: { table: 'user' } }, 'app', /only named queries/],
  ] as const)('%s', async (_what, query, kind, message) => {
    const wire = await connected(ada, { queries: [me, query] })
    expect(await wire.receives('transformError')).toMatchObject([
      { error: kind, id: 'h', name: expect.any(String), message: expect.stringMatching(message) },
    ])
    expect(wire.got).toEqual(new Set(['me']))
    wire.send(['changeDesiredQueries', { desiredQueriesPatch: [putQuery(models)] }])
    await wire.until(() => wire.got.has('models'), 'the connection lives')
    await wire.close()
  })
})

describe('[Q2] desired queries', () => {
  test('change while connected; a repeated put is acknowledged without rows', async () => {
    const wire = await connected(ada, { queries: [me] })
    wire.send(['changeDesiredQueries', { desiredQueriesPatch: [putQuery(models)] }])
    await wire.until(() => wire.got.has('models'), 'models')
    expect(wire.rowsOf('model').length).toBeGreaterThan(20)
    const opsBefore = wire.rowOps
    wire.send(['changeDesiredQueries', { desiredQueriesPatch: [putQuery({ ...models, ttl: 600_000 })] }])
    await wire.settled()
    expect(wire.rowOps).toBe(opsBefore)
    expect(wire.desired).toEqual(new Set(['me', 'models']))
    await wire.close()
  })

  test('end when their client is deleted or not among the active clients', async () => {
    const dead = await connected(ada, { queries: [models] })
    await dead.close()
    const wire = await connected(ada, { params: { clientGroupID: dead.groupID }, queries: [me] })
    wire.send(['deleteClients', { clientIDs: [dead.clientID, wire.clientID] }])
    expect(await wire.receives('deleteClients')).toEqual({ clientIDs: [dead.clientID] })
    const desiredQueries = () =>
      inside(ada, (_object, { storage }) =>
        storage.sql
          .exec<{ clientID: string; hash: string }>(
            'select clientID, hash from sync_desire where groupID = ? and inactivatedAtMs is null',
            wire.groupID,
          )
          .toArray(),
      )
    expect(await desiredQueries()).toEqual([{ clientID: wire.clientID, hash: 'me' }])
    await wire.close()
    const next = await connected(ada, {
      params: { clientGroupID: wire.groupID },
      init: { desiredQueriesPatch: [putQuery(me)], clientSchema: clientSchema(), activeClients: [] },
    })
    expect(await desiredQueries()).toEqual([{ clientID: next.clientID, hash: 'me' }])
    await next.close()
  })
})

test('[Q1] at 500 live queries of a group, a new one replaces one that no client desires, and is refused if all are desired', async () => {
  const ids = Array.from({ length: 502 }, () => freshId('thread'))
  const put = (at: number) => putQuery({ hash: `one-${at}`, name: 'threads.one', args: [{ threadId: ids[at] ?? '' }], ttl: 600_000 })
  const wire = await connected(await newUser(), { queries: [me] })
  wire.send(['changeDesiredQueries', { desiredQueriesPatch: Array.from({ length: 499 }, (_, at) => put(at)) }])
  await wire.until(() => wire.got.has('one-498'), 'the 500th query')
  wire.send(['changeDesiredQueries', { desiredQueriesPatch: [put(499)] }])
  expect(await wire.receives('transformError')).toMatchObject([{ id: 'one-499', message: 'too many queries' }])
  wire.send(['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'del', hash: 'one-7' }, put(500)] }])
  await wire.until(() => wire.got.has('one-500') && !wire.got.has('one-7'), 'the replacement')
  await wire.close()
})

test('[Q1] a query returns no rows of another user', async () => {
  const bob = await newUser()
  const wire = await connected(ada, { queries: [me, { hash: 'bobs', name: 'threads.one', args: [{ threadId: 'bobs-thread-id' }] }] })
  await content.prepare("insert into thread (id, userId, createdAt, updatedAt) values ('bobs-thread-id', ?, 1, 1)").bind(bob.userId).run()
  await stubOf(ada).notify()
  await wire.settled()
  expect(wire.rowsOf('thread')).toEqual([])
  expect(wire.rowsOf('user').map(({ id }) => id)).toEqual([ada.userId])
  await wire.close()
})

describe('[Q3] time to live', () => {
  const clock = (groupID: string, ms: number) =>
    inside(ada, async (object, { storage }) => {
      storage.sql.exec('update sync_group set clockMs = clockMs + ? where id = ?', ms, groupID)
      await object.setAlarmAt('queries', 1)
    })

  test('a query with 0 ms is removed when no client desires it, with the rows that only it covered', async () => {
    const wire = await connected(ada, { queries: [me, { ...models, ttl: 0 }] })
    wire.send(['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'del', hash: 'models' }] }])
    await wire.until(() => !wire.got.has('models'), 'gone')
    expect(wire.desired).toEqual(new Set(['me']))
    // The model of the setting stays: `me` needs it.
    expect(wire.rowsOf('model').map(({ id }) => id)).toEqual(['kimi-k2'])
    await wire.close()
  })

  test('a query stays until its time has passed on the clock of its group', async () => {
    const wire = await connected(ada, { queries: [me, { ...models, ttl: 60_000 }] })
    wire.send(['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'del', hash: 'models' }] }])
    await wire.until(() => !wire.desired.has('models'), 'undesired')
    await clock(wire.groupID, 30_000)
    await fireAlarm(ada)
    await wire.settled()
    expect(wire.got.has('models')).toBe(true)
    await clock(wire.groupID, 31_000)
    await fireAlarm(ada)
    await wire.until(() => !wire.got.has('models'), 'expired')
    expect(wire.rowsOf('model')).toHaveLength(1)
    await wire.close()
  })

  test('nothing expires without a connection of the group', async () => {
    const wire = await connected(ada, { queries: [me, { ...models, ttl: 60_000 }] })
    wire.send(['changeDesiredQueries', { desiredQueriesPatch: [{ op: 'del', hash: 'models' }] }])
    await wire.until(() => !wire.desired.has('models'), 'undesired')
    await wire.close()
    const stopped = await inside(ada, (_object, { storage }) =>
      storage.sql.exec<{ connectedSinceMs: number | null }>('select connectedSinceMs from sync_group where id = ?', wire.groupID).one(),
    )
    expect(stopped).toEqual({ connectedSinceMs: null })
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    expect(back.rowOps).toBe(0)
    await back.close()
  })
})
