// An object that lost its storage while a turn is open. Rules: worker/turns/SPEC.md, T2.
import { expect, test } from 'vitest'
import { alarmAt, evict, inside } from './sync-object.ts'
import { connected, newPerson, type Person, turnArgs } from './sync-wire.ts'

const refuseOrders = (person: Person) =>
  inside(person, ({ startCommands }) => {
    startCommands.areRefused = true
  })

test('[T2] an object that lost its storage checks the open turns after the next connect', async () => {
  const person = await newPerson()
  const wire = await connected(person)
  await refuseOrders(person)
  await wire.confirmed(wire.mutate('threads.send', turnArgs()))
  await wire.close()
  await inside(person, async (_object, { storage }) => {
    await storage.deleteAlarm()
    await storage.deleteAll()
  })
  await evict(person)
  await refuseOrders(person)
  const again = await connected(person)
  expect(await alarmAt(person, 'turns')).toEqual(expect.any(Number))
  expect(await inside(person, (_object, { storage }) => storage.getAlarm())).toEqual(expect.any(Number))
  await again.close()
})
