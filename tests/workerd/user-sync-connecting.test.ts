// Notifications that arrive while a connect is in flight. Rules: worker/sync/SPEC.md, F5 and C7.

import { describe, expect, test } from 'vitest'
import { content } from './bindings.ts'
import { evict, inside, stubOf } from './sync-object.ts'
import { connected, connectWire, env, freshId, newUser, type SyncUser, threadList, type Wire } from './sync-wire.ts'

const holdAnswers = (user: SyncUser, holdsAnswers: boolean) =>
  inside(user, ({ watch }) => {
    watch.holdsAnswers = holdsAnswers
    for (const release of watch.heldAnswers.splice(0)) release()
  })

async function untilHeld(user: SyncUser, isOver: () => boolean): Promise<boolean> {
  while (!isOver()) {
    if (await inside(user, ({ watch }) => watch.heldAnswers.length > 0)) return true
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return false
}

/** Calls `act` after each D1 answer of the connect, before the object receives that answer. */
async function connectWith(user: SyncUser, connect: () => Promise<Wire>, act: () => Promise<unknown>): Promise<Wire> {
  await holdAnswers(user, true)
  const acts: Promise<unknown>[] = []
  let wire: Wire | null = null
  const connecting = connect().then((opened) => (wire = opened))
  while (await untilHeld(user, () => wire !== null)) {
    let isDone = false
    acts.push(act().finally(() => (isDone = true)))
    // Gives the call time to reach the object. A call that waits for the connect stays pending.
    for (let i = 0; i < 20 && !isDone; i++) await inside(user, () => undefined)
    await holdAnswers(user, true)
  }
  await holdAnswers(user, false)
  await Promise.all(acts)
  return connecting
}

const isKnown: { readonly [object: string]: (user: SyncUser) => Promise<unknown> } = {
  'of a new user': async () => undefined,
  'that is awake': async (user) => (await connected(user)).close(),
  'that wakes for the connect': async (user) => {
    await (await connected(user)).close()
    await evict(user)
  },
}

describe('[F5] a notification during a connect', () => {
  test.each(Object.keys(isKnown))('pulls the row after the connect, in an object %s', async (object) => {
    const user = await newUser()
    await isKnown[object]?.(user)
    const written: string[] = []
    const writeAndNotify = async () => {
      const id = freshId('thread')
      written.push(id)
      await content.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(id, user.userId).run()
      await stubOf(user).notify()
    }
    const wire = await connectWith(user, () => connectWire(user, { queries: [threadList] }), writeAndNotify)
    await wire.settled()
    expect(written.length).toBeGreaterThan(0)
    expect(wire.rowsOf('thread').map(({ id }) => id)).toEqual(expect.arrayContaining(written))
    await wire.close()
  })

  test('reads nothing when the connect was refused', async () => {
    const user = await newUser()
    await (await connected(user)).close()
    await env.DB.prepare('delete from session where userId = ?').bind(user.userId).run()
    const batches = () => inside(user, ({ watch }) => watch.batches.length)
    const duringConnect: number[] = []
    const wire = await connectWith(
      user,
      () => connectWire(user),
      async () => {
        duringConnect.push(await batches())
        await stubOf(user).notify()
      },
    )
    expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    expect(await batches()).toBe(duringConnect.at(-1))
  })
})

test('[C7] a session that ends during the connect of a new user or of a waking object closes its connection', async () => {
  for (const prepare of Object.values(isKnown)) {
    const user = await newUser()
    await prepare(user)
    const sessionId = await env.DB.prepare('select id from session where userId = ?').bind(user.userId).first<string>('id')
    const wire = await connectWith(
      user,
      () => connectWire(user),
      () => stubOf(user).endSessions([sessionId ?? '']),
    )
    expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    await wire.untilClosed()
  }
})
