// Eviction, wake and death between two steps. Rules: worker/sync/SPEC.md, F1, H1, H2; worker/turns/SPEC.md, T2.

import { beforeAll, describe, expect, test } from 'vitest'
import { evict, inside, kill, stubOf } from './sync-object.ts'
import { connected, connectWire, me, newUser, type SyncUser, threadList } from './sync-wire.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

describe('[H1] an evicted object keeps its sockets', () => {
  test('woken by a push, it confirms, pokes from the cookie of each connection and sends no row again', async () => {
    const one = await connected(ada, { queries: [me, threadList] })
    const two = await connected(ada, { queries: [me] })
    await evict(ada)
    const [receivedOne, receivedTwo] = [one.rowOps, two.rowOps]
    const cookie = two.cookie
    await one.confirmed(one.mutate('settings.update', { nickname: 'Woken' }))
    await two.until(() => two.rowsOf('setting')[0]?.nickname === 'Woken', 'the other receives it')
    expect([one.rowOps - receivedOne, two.rowOps - receivedTwo]).toEqual([1, 1])
    expect(two.frames.filter(([tag]) => tag === 'pokeStart').at(-1)?.[1]).toMatchObject({ baseCookie: cookie })
    await one.close()
    await two.close()
  })
})

test('[F1] a notification without connections reads nothing', async () => {
  const user = await newUser()
  const wire = await connected(user)
  await wire.close()
  const before = await inside(user, ({ watch }) => watch.batches.length)
  await stubOf(user).notify()
  expect(await inside(user, ({ watch }) => watch.batches.length)).toBe(before)
})

/** Waits until the object waits for D1, and kills it there. */
async function dieWhenStuck() {
  while (!(await inside(ada, ({ watch }) => watch.hasStuck))) await new Promise((resolve) => setTimeout(resolve, 5))
  await kill(ada)
}

describe('[H2] an object that dies during a task', () => {
  test('connect: the client receives ServerOverloaded', async () => {
    const wire = await connected(ada, { queries: [me] })
    await inside(ada, ({ watch }) => {
      watch.sticksAt = 'any'
    })
    const connecting = connectWire(ada, { queries: [me] })
    await dieWhenStuck()
    const other = await connecting
    expect(await other.receives('error')).toMatchObject({ kind: 'ServerOverloaded' })
    await wire.untilClosed()
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    await back.close()
  })
})
