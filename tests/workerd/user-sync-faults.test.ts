// Invalid messages and failing steps. Rules: worker/sync/SPEC.md, X1 and X2.
import { beforeAll, describe, expect, test } from 'vitest'
import { fireAlarm, inside, setAlarmAt, stubOf } from './sync-object.ts'
import { connected, connectWire, env, me, newUser, type SyncUser } from './sync-wire.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

describe('[X1] invalid messages', () => {
  test.each([
    ['no JSON', 'hello'],
    ['no message', '{}'],
    ['an unknown tag', '["shout",{}]'],
    ['what every object inherits', '["constructor",{}]'],
    ['a body of another shape', '["push",{"mutations":7}]'],
    ['a query patch of another shape', '["changeDesiredQueries",{"desiredQueriesPatch":[{"op":"put"}]}]'],
    ['an empty frame', ''],
  ])('%s: is refused, and the object continues', async (_what, frame) => {
    const other = await connected(ada, { queries: [me] })
    const wire = await connected(ada, { queries: [me] })
    wire.send(frame)
    expect(await wire.receives('error')).toMatchObject({ kind: 'InvalidMessage', origin: 'zeroCache' })
    await wire.untilClosed()
    await other.settled()
    await other.close()
  })

  test('a binary frame', async () => {
    const wire = await connected(ada)
    wire.socket.send(new Uint8Array([1, 2, 3]))
    expect(await wire.receives('error')).toMatchObject({ kind: 'InvalidMessage' })
  })

  test('a frame above 1 MiB closes the connection with 1009', async () => {
    const wire = await connected(ada)
    wire.send(JSON.stringify(['push', { filler: 'é'.repeat(600_000) }]))
    expect((await wire.untilClosed()).code).toBe(1009)
  })

  test('unused messages are answered or ignored', async () => {
    const wire = await connected(ada, { queries: [me] })
    wire.send(['closeConnection', []])
    wire.send(['inspect', { id: 'i', op: 'version' }])
    expect(await wire.receives('inspect')).toMatchObject({ id: 'i', op: 'error' })
    wire.send(['pull', { clientGroupID: wire.groupID, cookie: wire.cookie, requestID: 'r' }])
    expect(await wire.receives('pull')).toEqual({ requestID: 'r', cookie: expect.any(String), lastMutationIDChanges: {} })
    wire.send('["ping",{}]')
    expect(await wire.receives('pong')).toEqual({})
    await wire.close()
  })
})

test('[X2] a failed connect is refused and does not affect other pages of its browser', async () => {
  const wire = await connected(ada, { queries: [me] })
  const rename = (from: string, to: string) =>
    inside(ada, (_object, { storage }) => void storage.sql.exec(`alter table ${from} rename to ${to}`))
  await rename('sync_desire', 'sync_desire_gone')
  const params = { clientGroupID: wire.groupID }
  const refused = await connectWire(ada, { params, queries: [me] })
  expect(await refused.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
  await refused.untilClosed()
  await rename('sync_desire_gone', 'sync_desire')
  await wire.settled()
  const sibling = await connected(ada, { params, queries: [me] })
  await wire.confirmed(wire.mutate('settings.update', { nickname: 'Undisturbed' }))
  await sibling.until(() => sibling.rowsOf('setting')[0]?.nickname === 'Undisturbed', 'what its sibling wrote')
  const open = (_object: unknown, state: DurableObjectState) =>
    state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length
  expect(await inside(ada, open)).toBe(2)
  await wire.close()
  await sibling.close()
})

test('[X2] a failed pull of a notification closes no connection, and the alarm repeats it', async () => {
  const wire = await connected(ada, { queries: [me] })
  await inside(ada, ({ watch }) => {
    watch.failsAtBatch = watch.batches.length + 1
  })
  await env.DB.prepare('update user set name = ? where id = ?').bind('Renamed meanwhile', ada.userId).run()
  await stubOf(ada).notify()
  await wire.settled()
  await setAlarmAt(ada, 'turns', 1)
  await fireAlarm(ada)
  await wire.until(() => wire.row('user', ada.userId)?.name === 'Renamed meanwhile', 'the poke')
  await wire.close()
})
