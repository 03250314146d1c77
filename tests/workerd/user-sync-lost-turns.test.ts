// An object that lost its storage while a turn is open. Rules: worker/turns/SPEC.md, T2.
import { expect, test } from 'vitest'
import { alarmAt, evict, inside } from './sync-object.ts'
import { connected, newUser, type SyncUser, turnArgs } from './sync-wire.ts'

const refuseOrders = (user: SyncUser) =>
  inside(user, ({ startCommands }) => {
    startCommands.areRefused = true
  })

test('[T2] an object that lost its storage checks the open turns after the next connect', async () => {
  const user = await newUser()
  const wire = await connected(user)
  await refuseOrders(user)
  await wire.confirmed(wire.mutate('threads.send', turnArgs()))
  await wire.close()
  await inside(user, async (_object, { storage }) => {
    await storage.deleteAlarm()
    await storage.deleteAll()
  })
  await evict(user)
  await refuseOrders(user)
  const again = await connected(user)
  expect(await alarmAt(user, 'turns')).toEqual(expect.any(Number))
  expect(await inside(user, (_object, { storage }) => storage.getAlarm())).toEqual(expect.any(Number))
  await again.close()
})
