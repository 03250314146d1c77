// Notifications that arrive while a connect is in flight. Rules: worker/sync/SPEC.md, F5 and C7.

import { describe, expect, test } from 'vitest'
import { content } from './bindings.ts'
import { evict, inside, stubOf } from './sync-object.ts'
import { connected, connectWire, env, freshId, newPerson, type Person, threadList, type Wire } from './sync-wire.ts'

const holdAnswers = (person: Person, holdsAnswers: boolean) =>
  inside(person, ({ watch }) => {
    watch.holdsAnswers = holdsAnswers
    for (const release of watch.heldAnswers.splice(0)) release()
  })

async function untilHeld(person: Person, isOver: () => boolean): Promise<boolean> {
  while (!isOver()) {
    if (await inside(person, ({ watch }) => watch.heldAnswers.length > 0)) return true
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return false
}

/** Calls `act` after each D1 answer of the connect, before the object receives that answer. */
async function connectWith(person: Person, connect: () => Promise<Wire>, act: () => Promise<unknown>): Promise<Wire> {
  await holdAnswers(person, true)
  const acts: Promise<unknown>[] = []
  let wire: Wire | null = null
  const connecting = connect().then((opened) => (wire = opened))
  while (await untilHeld(person, () => wire !== null)) {
    let isDone = false
    acts.push(act().finally(() => (isDone = true)))
    // Gives the call time to reach the object. A call that waits for the connect stays pending.
    for (let i = 0; i < 20 && !isDone; i++) await inside(person, () => undefined)
    await holdAnswers(person, true)
  }
  await holdAnswers(person, false)
  await Promise.all(acts)
  return connecting
}

const isKnown: { readonly [object: string]: (person: Person) => Promise<unknown> } = {
  'of a new user': async () => undefined,
  'that is awake': async (person) => (await connected(person)).close(),
  'that wakes for the connect': async (person) => {
    await (await connected(person)).close()
    await evict(person)
  },
}

describe('[F5] a notification during a connect', () => {
  test.each(Object.keys(isKnown))('pulls the row after the connect, in an object %s', async (object) => {
    const person = await newPerson()
    await isKnown[object]?.(person)
    const written: string[] = []
    const writeAndNotify = async () => {
      const id = freshId('thread')
      written.push(id)
      await content.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(id, person.userId).run()
      await stubOf(person).notify()
    }
    const wire = await connectWith(person, () => connectWire(person, { queries: [threadList] }), writeAndNotify)
    await wire.settled()
    expect(written.length).toBeGreaterThan(0)
    expect(wire.rowsOf('thread').map(({ id }) => id)).toEqual(expect.arrayContaining(written))
    await wire.close()
  })

  test('reads nothing when the connect was refused', async () => {
    const person = await newPerson()
    await (await connected(person)).close()
    await env.DB.prepare('delete from session where userId = ?').bind(person.userId).run()
    const batches = () => inside(person, ({ watch }) => watch.batches.length)
    const duringConnect: number[] = []
    const wire = await connectWith(
      person,
      () => connectWire(person),
      async () => {
        duringConnect.push(await batches())
        await stubOf(person).notify()
      },
    )
    expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    expect(await batches()).toBe(duringConnect.at(-1))
  })
})

test('[C7] a session that ends during the connect of a new user or of a waking object closes its connection', async () => {
  for (const prepare of Object.values(isKnown)) {
    const person = await newPerson()
    await prepare(person)
    const sessionId = await env.DB.prepare('select id from session where userId = ?').bind(person.userId).first<string>('id')
    const wire = await connectWith(
      person,
      () => connectWire(person),
      () => stubOf(person).endSessions([sessionId ?? '']),
    )
    expect(await wire.receives('error')).toMatchObject({ kind: 'Unauthorized' })
    await wire.untilClosed()
  }
})
