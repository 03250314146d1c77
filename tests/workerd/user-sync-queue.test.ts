// Messages that wait for the current answer become turns, once each. Rules: worker/turns/SPEC.md, U1 to U3.

import { beforeEach, describe, expect, test } from 'vitest'
import { dayOf } from '../../worker/contract/access.ts'
import { creditsPerDay, maxQueuedMessages } from '../../worker/contract/limits.ts'
import { content } from './bindings.ts'
import { evict, fireAlarm, inside, kill, setAlarmAt } from './sync-object.ts'
import { connected, env, freshId, me, newUser, recentThreads, type SyncUser, turnArgs, type Wire } from './sync-wire.ts'
import { until } from './until.ts'

let ada: SyncUser
let wire: Wire
beforeEach(async () => {
  ada = await newUser()
  wire = await connected(ada, { queries: [me, recentThreads] })
})

const writing = '/demo chunks=40 delay=20'
const long = '/demo chunks=5000 delay=25'
const short = '/demo chunks=2 delay=0'

/** A thread whose answer is being written. */
async function busyThread(text = writing): Promise<string> {
  const args = turnArgs(text)
  await wire.confirmed(wire.mutate('threads.send', args))
  return args.threadId
}

const queuedArgs = (threadId: string, text = short) => ({
  id: freshId('queued'),
  answerId: freshId('answer'),
  threadId,
  modelId: 'kimi-k2',
  text,
  at: 1,
})

async function queue(threadId: string, text = short): Promise<string> {
  const args = queuedArgs(threadId, text)
  await wire.confirmed(wire.mutate('queue.add', args))
  return args.id
}

const all = async (sql: string, ...values: string[]) =>
  (
    await content
      .prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results
const thread = async (id: string) => (await all('select * from thread where id = ?', id))[0]
const queuedOf = (threadId: string) => all('select id, hold from queuedMessage where threadId = ? order by createdAt', threadId)
const questionsOf = async (threadId: string) =>
  (await all('select id, message from message where threadId = ? order by createdAt, id', threadId)).flatMap(({ id, message }) =>
    JSON.parse(String(message)).role === 'user' ? [id] : [],
  )

/** Resolves when no answer and no queued message remains. Then every credit is accounted for, and each message was answered once. */
async function settled(threadId: string, questions: number): Promise<void> {
  const looked = async () => ({ thread: await thread(threadId), queue: await queuedOf(threadId), asked: await questionsOf(threadId) })
  await until(
    looked,
    ({ thread, queue, asked }) => thread?.status === 'ready' && queue.length === 0 && asked.length === questions,
    'an empty queue',
  )
  await expectExactLedger()
  const turns = await all('select parentId, status from generation where threadId = ?', threadId)
  expect(turns.length).toBe(new Set(turns.map(({ parentId }) => parentId)).size)
  expect(turns.length).toBe(questions)
}

async function expectExactLedger(): Promise<void> {
  const [usage] = await all('select credits from usage where userId = ?', ada.userId)
  const [ledger] = await all(
    'select sum(credits) credits, count(*) n, count(distinct id) ids from creditLedger where userId = ?',
    ada.userId,
  )
  expect(usage?.credits).toBe(ledger?.credits)
  const unbalanced = await all(
    `select generationId from creditLedger where userId = ? group by generationId
     having sum(kind = 'reserve') <> 1 or sum(kind in ('settle', 'release')) > 1`,
    ada.userId,
  )
  expect(unbalanced).toEqual([])
}

describe('[U1] a queued message', () => {
  test('is synced to every device and starts when the answer before it ends', async () => {
    const threadId = await busyThread()
    const first = await queue(threadId)
    const second = await queue(threadId)
    expect(wire.rowsOf('queuedMessage').map(({ id }) => id)).toEqual([first, second])
    await settled(threadId, 3)
    const asked = await questionsOf(threadId)
    expect(asked.slice(1)).toEqual([first, second])
    const messages = await all('select id, parentId from message where threadId = ?', threadId)
    const parentOf = (id: unknown) => messages.find((message) => message.id === id)?.parentId
    // Each follows the answer to the one before it: one path, no versions.
    expect(parentOf(parentOf(second))).toBe(first)
    await wire.until(() => wire.rowsOf('queuedMessage').length === 0, 'an empty queue on the wire')
  })

  test('starts without a connection while the object is evicted', async () => {
    const threadId = await busyThread()
    await queue(threadId)
    await wire.close()
    await evict(ada)
    await settled(threadId, 2)
  })

  test('starts at once when the answer has ended already', async () => {
    const threadId = await busyThread(short)
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    await queue(threadId)
    await settled(threadId, 2)
  })

  test('gets another model and is removed while it waits', async () => {
    const threadId = await busyThread()
    const [kept, removed] = [await queue(threadId), await queue(threadId)]
    const last = wire.push([
      { name: 'queue.edit', args: { id: kept, modelId: 'gpt-4o-mini' } },
      { name: 'queue.remove', args: { id: removed } },
    ])
    await wire.confirmed(last)
    await settled(threadId, 2)
    const [row] = await all('select message from message where parentId = ?', kept)
    expect(JSON.parse(String(row?.message)).metadata).toMatchObject({ modelId: 'gpt-4o-mini' })
  })

  test('is refused when it is empty, above the limit, for a missing thread or with a model that the user may not use', async () => {
    const threadId = await busyThread(long)
    for (let count = 0; count < maxQueuedMessages; count++) await queue(threadId)
    const cases = [
      [queuedArgs(threadId), 'queue_full'],
      [queuedArgs(threadId, ' '), 'message_empty'],
      [queuedArgs('no-such-thread'), 'not_found'],
      [{ ...queuedArgs(await busyThread(long)), modelId: 'gpt-5.5' }, 'premium_required'],
      [{ ...queuedArgs(await busyThread(long)), modelId: 'nothing' }, 'no_model'],
    ] as const
    for (const [args, code] of cases) {
      const id = wire.mutate('queue.add', args)
      await wire.confirmed(id)
      expect(wire.results.get(`${wire.clientID}/${id}`)).toMatchObject({ details: { code } })
    }
  })
})

describe('[U2] a held queue', () => {
  test('waits after a stopped turn until the user continues; the rest then follows', async () => {
    const threadId = await busyThread(long)
    const [first, second] = [await queue(threadId), await queue(threadId)]
    wire.mutate('threads.stop', { threadId })
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    expect(await queuedOf(threadId)).toEqual([
      { id: first, hold: 'stopped' },
      { id: second, hold: 'stopped' },
    ])
    wire.mutate('queue.send', { id: first, at: 1 })
    await settled(threadId, 3)
  })

  test('waits after a turn that failed just before the message arrived', async () => {
    const threadId = await busyThread('/demo fail')
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    const id = await queue(threadId)
    expect(await queuedOf(threadId)).toEqual([{ id, hold: 'failed' }])
    await expectExactLedger()
  })

  test('waits without credits, with the reason, and is not charged', async () => {
    const threadId = await busyThread()
    const id = await queue(threadId)
    await content
      .prepare("insert into creditLedger (id, userId, generationId, kind, credits, day, createdAt) values (?, ?, 'x', 'reserve', ?, ?, 1)")
      .bind(freshId('ledger'), ada.userId, creditsPerDay.guest - 1, dayOf(Date.now()))
      .run()
    await until(
      () => queuedOf(threadId),
      ([row]) => row?.hold != null,
      'held',
    )
    expect(await queuedOf(threadId)).toEqual([{ id, hold: 'credits_exhausted' }])
    expect(await questionsOf(threadId)).toHaveLength(1)
    await expectExactLedger()
  })

  test('waits while its thread is deleted, and continues when it is restored', async () => {
    const threadId = await busyThread(short)
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    await content.prepare('update thread set deletedAt = 1 where id = ?').bind(threadId).run()
    await content
      .prepare(
        "insert into queuedMessage (id, threadId, userId, answerId, text, modelId, createdAt) values ('by-hand-1', ?, ?, ?, '/demo chunks=1 delay=0', 'kimi-k2', 1)",
      )
      .bind(threadId, ada.userId, freshId('answer'))
      .run()
    await env.USER_SYNC.getByName(ada.userId).notify()
    expect(await questionsOf(threadId)).toHaveLength(1)
    wire.mutate('threads.restore', { threadIds: [threadId] })
    await settled(threadId, 2)
  })
})

/** Ends the object like a crash, and lets time pass until its alarm. */
async function dieAndWake(): Promise<void> {
  await setAlarmAt(ada, 'turns', 1)
  await kill(ada)
  // On a slow machine the alarm may ring earlier; nothing else wakes the object.
  await fireAlarm(ada)
}

describe('[U3] exactly once', () => {
  test.each(['lost', 'response-lost'] as const)('when the batch that starts it is %s', async (fault) => {
    const threadId = await busyThread()
    await queue(threadId)
    await inside(ada, ({ watch }) => void watch.faults.push(fault))
    await settled(threadId, 2)
  })

  test('when the object dies after the commit: the alarm finds the turn', async () => {
    const threadId = await busyThread()
    await queue(threadId)
    await inside(ada, ({ watch }) => {
      watch.sticksAt = 'write'
    })
    await until(() => inside(ada, ({ watch }) => watch.hasStuck), Boolean, 'stuck')
    await dieAndWake()
    await settled(threadId, 2)
  })

  test('when the object dies before the commit: the alarm starts the turn', async () => {
    const threadId = await busyThread()
    await queue(threadId)
    await inside(ada, ({ watch }) => {
      watch.gate = new Promise(() => undefined)
    })
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    await dieAndWake()
    await settled(threadId, 2)
  })

  test('when D1 is newer than the replica', async () => {
    const threadId = await busyThread()
    const id = await queue(threadId)
    const remove = content.prepare('delete from queuedMessage where id = ?').bind(id)
    await remove.run()
    await content.prepare("delete from contentChange where tbl = 'queuedMessage' and rowId = ? and op = 'd'").bind(id).run()
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    await wire.settled()
    expect(await questionsOf(threadId)).toHaveLength(1)
    expect((await thread(threadId))?.status).toBe('ready')
    await expectExactLedger()
  })
})
