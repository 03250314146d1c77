// Eviction, wake and death between two steps. Rules: worker/sync/SPEC.md, F1, H1, H2; worker/turns/SPEC.md, T2.

import { beforeAll, describe, expect, test } from 'vitest'
import { content, databaseOf } from './bindings.ts'
import { evict, fireAlarm, inside, kill, setAlarmAt, stubOf } from './sync-object.ts'
import { connected, connectWire, me, newUser, recentThreads, type SyncUser, threadList, turnArgs } from './sync-wire.ts'

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

  test('woken by a notification, it pulls and pokes', async () => {
    const wire = await connected(ada, { queries: [me] })
    await evict(ada)
    await content.prepare('update setting set nickname = ? where userId = ?').bind('Notified', ada.userId).run()
    await stubOf(ada).notify()
    await wire.until(() => wire.rowsOf('setting')[0]?.nickname === 'Notified', 'the notification')
    await wire.close()
  })

  test('woken by any message, it first reads what it missed', async () => {
    const wire = await connected(ada, { queries: [me] })
    await evict(ada)
    await content.prepare('update setting set nickname = ? where userId = ?').bind('Slept through', ada.userId).run()
    wire.send([
      'changeDesiredQueries',
      { desiredQueriesPatch: [{ op: 'put', hash: 'list', ...{ name: 'threads.list', args: [{ limit: 5 }] } }] },
    ])
    await wire.until(() => wire.got.has('list'), 'the query')
    expect(wire.rowsOf('setting')).toMatchObject([{ nickname: 'Slept through' }])
    await wire.close()
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

/** The object dies before it receives the result of its batch. */
async function dieInPush(fault: 'lost' | 'response-lost') {
  const wire = await connected(ada, { queries: [me, recentThreads] })
  const args = turnArgs('/demo chunks=1 delay=0')
  await inside(ada, ({ watch }) => {
    watch.faults.push(fault)
    watch.sticksAt = 'write'
  })
  const id = wire.mutate('threads.send', args)
  await dieWhenStuck()
  await wire.untilClosed()
  return { wire, args, id }
}

const count = (table: string, column: string, value: string) =>
  databaseOf(table).prepare(`select count(*) n from ${table} where ${column} = ?`).bind(value).first('n')

test('[H1] the platform answers a ping', async () => {
  const user = await newUser()
  const wire = await connected(user, { queries: [me] })
  const pingedAt = () =>
    inside(user, (_object, ctx) => ctx.getWebSockets().map((socket) => ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? null))
  expect(await pingedAt()).toEqual([null])
  const beforeMs = Date.now()
  wire.send('["ping",{}]')
  await wire.receives('pong')
  const [at] = await pingedAt()
  expect(at).toBeGreaterThanOrEqual(beforeMs)
  await wire.close()
})

describe('[H2] an object that dies during a task', () => {
  test.each(['lost', 'response-lost'] as const)(
    'push %s: the client reconnects, resends, and the mutation is applied once',
    async (fault) => {
      const { wire, args, id } = await dieInPush(fault)
      const back = await wire.reconnect()
      await back.receives('pokeEnd')
      back.push([{ name: 'threads.send', args, id }])
      await back.confirmed(id)
      expect(back.results.size).toBe(0)
      await back.until(() => back.row('message', args.answerId) !== undefined, 'the answer')
      expect(await count('message', 'id', args.messageId)).toBe(1)
      expect(await count('generation', 'id', args.answerId)).toBe(1)
      expect(await count('creditLedger', 'generationId', args.answerId)).toBe(2)
      await back.close()
    },
  )

  test('pull: the next connection reads what the notification was about', async () => {
    const wire = await connected(ada, { queries: [me] })
    await content.prepare('update setting set nickname = ? where userId = ?').bind('Half pulled', ada.userId).run()
    await inside(ada, ({ watch }) => {
      watch.sticksAt = 'any'
    })
    const notified = stubOf(ada)
      .notify()
      .catch(() => 'the object died')
    await dieWhenStuck()
    expect(await notified).toBe('the object died')
    await wire.untilClosed()
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    expect(back.rowsOf('setting')).toMatchObject([{ nickname: 'Half pulled' }])
    expect(back.rowOps).toBe(1)
    await back.close()
  })

  test('acknowledgement: the result is still stored and can be acknowledged again', async () => {
    const wire = await connected(ada, { queries: [me] })
    const id = wire.mutate('threads.rename', { threadId: 'no-such-thread', title: 'New' })
    await wire.confirmed(id)
    await inside(ada, ({ watch }) => {
      watch.sticksAt = 'write'
    })
    wire.send(['ackMutationResponses', { clientID: wire.clientID, id }])
    await dieWhenStuck()
    await wire.untilClosed()
    const back = await wire.reconnect()
    await back.receives('pokeEnd')
    expect(back.results.size).toBe(1)
    back.send(['ackMutationResponses', { clientID: wire.clientID, id }])
    await back.until(() => back.results.size === 0, 'the result is deleted')
    await back.close()
  })

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

test('[T2] the alarm finds a turn that was committed without an answer and starts its generation', async () => {
  const { args } = await dieInPush('response-lost')
  await setAlarmAt(ada, 'turns', 1)
  // On a slow machine it has fired already. Without an alarm the turn would stay open.
  await fireAlarm(ada)
  const answered = async () => (await count('message', 'id', args.answerId)) === 1
  while (!(await answered())) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(await count('creditLedger', 'generationId', args.answerId)).toBe(2)
})
