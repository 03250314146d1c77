// A statement fails in every kind of step. Nothing partial stays in storage or memory, and clients recover when they reconnect. Rules:
// worker/sync/SPEC.md, E10, X2 and X4.

import { beforeAll, expect, test } from 'vitest'
import { inside } from './sync-object.ts'
import { connected, me, newUser, type SyncUser } from './sync-wire.ts'

let user: SyncUser
beforeAll(async () => {
  user = await newUser()
})

test('[X4] closes a socket that cannot be written to; the client receives what it missed after it reconnects', async () => {
  const [deaf, other] = [await connected(user, { queries: [me] }), await connected(user, { queries: [me] })]
  await inside(user, (_object, ctx) => {
    for (const socket of ctx.getWebSockets(`client:${deaf.clientID}`))
      socket.send = () => {
        throw new Error('a socket that cannot be written to')
      }
  })
  await other.confirmed(other.mutate('settings.update', { nickname: 'missed' }))
  expect(await deaf.untilClosed()).toMatchObject({ code: 1011 })
  const again = await deaf.reconnect()
  await again.until(() => again.rowsOf('setting')[0]?.nickname === 'missed', 'what it missed')
  await again.close()
  await other.close()
})

test('[X4] a broken connection counts as closed: the clock of its group stops', async () => {
  const wire = await connected(user, { queries: [me] })
  const clock = () =>
    inside(
      user,
      (_object, { storage }) => storage.sql.exec('select connectedSinceMs at from sync_group where id = ?', wire.groupID).one().at,
    )
  expect(await clock()).not.toBeNull()
  await inside(user, async (object, ctx) => {
    const [socket] = ctx.getWebSockets(`client:${wire.clientID}`)
    if (socket) await object.webSocketError(socket)
  })
  expect(await clock()).toBeNull()
  await wire.untilClosed()
})
