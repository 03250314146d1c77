// A statement fails in every kind of step. Nothing partial stays in storage or memory, and clients recover when they reconnect. Rules:
// worker/sync/SPEC.md, E10, X2 and X4.

import { beforeAll, describe, expect, test } from 'vitest'
import { content } from './bindings.ts'
import { fireAlarm, inside, stubOf } from './sync-object.ts'
import { connected, connectWire, freshId, me, newUser, putQuery, type SyncUser, threadList, type Wire } from './sync-wire.ts'

/** The number of statements until one fails. Objects run in the isolate of their tests. */
const fault = { after: Number.POSITIVE_INFINITY, hit: false }

const patched = new WeakSet<SqlStorage>()

let user: SyncUser
beforeAll(async () => {
  user = await newUser()
})

/** Also in an instance that started since: an alarm that throws ends one. */
const arm = (after: number): Promise<void> =>
  inside(user, (_object, { storage: { sql } }) => {
    Object.assign(fault, { after, hit: false })
    if (patched.has(sql)) return
    patched.add(sql)
    const exec = sql.exec.bind(sql)
    sql.exec = (...args: Parameters<typeof exec>) => {
      if (--fault.after === 0) {
        fault.hit = true
        throw new Error('a statement that fails')
      }
      return exec(...args) as never
    }
  })

/** All browsers hold exactly the database's rows: connected ones, reconnected ones and a new one. */
async function expectWhole(held: Wire[]): Promise<void> {
  for (const [i, wire] of held.entries()) held[i] = await back(wire)
  const nickname = await content.prepare('select nickname from setting where userId = ?').bind(user.userId).first('nickname')
  const { results } = await content.prepare('select id, title from thread where userId = ? order by id').bind(user.userId).all()
  const fresh = await connected(user, { queries: [me, threadList] })
  for (const wire of [...held, fresh]) {
    await wire.settled()
    expect(wire.rowsOf('setting')[0]?.nickname).toBe(nickname)
    const threads = wire.rowsOf('thread').map(({ id, title }) => ({ id, title }))
    expect(threads.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))).toEqual(results)
  }
  await fresh.close()
}

/** A closed page reconnects; others are pinged. */
async function back(wire: Wire): Promise<Wire> {
  const isHere = await wire.settled().then(
    () => true,
    () => false,
  )
  if (isHere) return wire
  await wire.untilClosed()
  const again = await wire.reconnect()
  await again.until(() => again.frames.some(([tag]) => tag === 'pokeEnd' || tag === 'error'), 'an answer')
  // This connect can contain the failing statement.
  return again.frames.some(([tag]) => tag === 'error') ? back(wire) : again
}

const steps = {
  'a push': async (wire: Wire): Promise<Wire> => {
    const nickname = freshId('name')
    const id = wire.mutate('settings.update', { nickname })
    const isConfirmed = () => (wire.lastMutationIDs.get(wire.clientID) ?? 0) >= id
    await Promise.race([wire.confirmed(id), wire.untilClosed()]).catch(() => undefined)
    if (isConfirmed()) return wire
    const again = await back(wire)
    // The page resends unconfirmed mutations.
    if ((again.lastMutationIDs.get(again.clientID) ?? 0) < id) again.push([{ name: 'settings.update', args: { nickname }, id }])
    await again.confirmed(id)
    return again
  },
  'a notification': async (wire: Wire): Promise<Wire> => {
    await content
      .prepare('insert into thread (id, userId, title, createdAt, updatedAt) values (?, ?, ?, 1, 1)')
      .bind(freshId('thread'), user.userId, 'T')
      .run()
    await stubOf(user).notify()
    return back(wire)
  },
  'a change of queries': async (wire: Wire): Promise<Wire> => {
    wire.send([
      'changeDesiredQueries',
      { desiredQueriesPatch: [{ op: 'del', hash: 'list' }, putQuery({ ...threadList, hash: freshId('list') })] },
    ])
    await wire.settled().catch(() => undefined)
    return back(wire)
  },
  'a connect': async (wire: Wire): Promise<Wire> => {
    const other = await connectWire(user, { queries: [me, threadList] })
    await Promise.race([other.receives('pokeEnd'), other.receives('error')]).catch(() => undefined)
    if (!other.closed) await other.close().catch(() => undefined)
    return back(wire)
  },
  'an alarm': async (wire: Wire): Promise<Wire> => {
    await inside(user, async (object, { storage }) => {
      await storage.setAlarm(Date.now() + 60_000)
      const after = fault.after
      fault.after = Number.POSITIVE_INFINITY
      for (const name of ['queries', 'tokens', 'turns']) await object.setAlarmAt(name, 1)
      fault.after = after
    })
    // The platform fires a failed alarm again.
    await fireAlarm(user).catch(() => undefined)
    return back(wire)
  },
}

describe('[E10] [X2] any failing statement', () => {
  test.each([
    ['a push', 1],
    ['a notification', 2],
    ['a change of queries', 3],
    ['a connect', 7],
    ['an alarm', 2],
  ] as const)('of %s', async (name, stride) => {
    fault.after = Number.POSITIVE_INFINITY
    const held = [await connected(user, { queries: [me, threadList] }), await connected(user, { queries: [me, threadList] })]
    let failed = 0
    for (let n = 1; ; n += stride) {
      const [wire] = held
      if (!wire) throw new Error('no client is connected')
      await arm(n)
      const after = await steps[name](wire)
      fault.after = Number.POSITIVE_INFINITY
      // The connection can be closed after it was accepted.
      held[0] = await back(after)
      if (!fault.hit) break
      failed += 1
      // Every statement fails once. The state is compared after every eighth and at the end.
      if (failed % 8 === 0) await expectWhole(held)
    }
    expect(failed).toBeGreaterThan(4)
    await expectWhole(held)
    for (const wire of held) {
      const recorded = await content
        .prepare('select lastMutationID n from clientProgress where clientID = ?')
        .bind(wire.clientID)
        .first<number>('n')
      expect(wire.lastMutationIDs.get(wire.clientID) ?? 0).toBe(recorded ?? 0)
      await wire.close()
    }
  })
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
