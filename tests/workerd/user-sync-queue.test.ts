// Messages that wait for the answer before them become turns by themselves, once each. Rules: worker/sync/SPEC.md, U.
import { beforeEach, describe, expect, test } from 'vitest'
import { dayOf } from '../../worker/contract/access.ts'
import { creditsPerDay, maxQueuedMessages } from '../../worker/contract/limits.ts'
import {
  connected,
  env,
  evict,
  freshId,
  inside,
  kill,
  me,
  newPerson,
  type Person,
  recentThreads,
  ringAlarm,
  turnArgs,
  turnsAreDue,
  type Wire,
} from './sync-wire.ts'
import { until } from './until.ts'

let ada: Person
let wire: Wire
beforeEach(async () => {
  ada = await newPerson()
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
    await env.DB.prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results
const thread = async (id: string) => (await all('select * from thread where id = ?', id))[0]
const queuedOf = (threadId: string) => all('select id, hold from queuedMessage where threadId = ? order by createdAt', threadId)
const questionsOf = async (threadId: string) =>
  (await all('select id, message from message where threadId = ? order by createdAt, id', threadId)).flatMap(({ id, message }) =>
    JSON.parse(String(message)).role === 'user' ? [id] : [],
  )

/** Resolves when nothing is written and nothing waits; then every credit is accounted for, and each message was asked once. */
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
  test('is seen by every device, and becomes a turn when the answer before it is written', async () => {
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

  test('becomes one with no tab open and the object asleep', async () => {
    const threadId = await busyThread()
    await queue(threadId)
    await wire.close()
    await evict(ada)
    await settled(threadId, 2)
  })

  test('that arrives when the answer is done already does not wait for another', async () => {
    const threadId = await busyThread(short)
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    await queue(threadId)
    await settled(threadId, 2)
  })

  test('can be edited and removed while it waits', async () => {
    const threadId = await busyThread()
    const [kept, removed] = [await queue(threadId), await queue(threadId)]
    const last = wire.push([
      { name: 'queue.edit', args: { id: kept, text: '/demo chunks=3 delay=0' } },
      { name: 'queue.remove', args: { id: removed } },
    ])
    await wire.confirmed(last)
    await settled(threadId, 2)
    const [row] = await all('select message from message where id = ?', kept)
    expect(JSON.parse(String(row?.message)).parts).toEqual([{ type: 'text', text: '/demo chunks=3 delay=0' }])
  })

  test('is refused when it is empty, one too many, for nobody, or for a model this person may not use', async () => {
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

describe('[U2] a queue stands still', () => {
  test('after a stopped turn, until the person sends on; the rest then follows by itself', async () => {
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

  test('behind a turn that failed just before the message arrived', async () => {
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

  test('when the credits are gone, with the reason, and is charged for nothing', async () => {
    const threadId = await busyThread()
    const id = await queue(threadId)
    await env.DB.prepare(
      "insert into creditLedger (id, userId, generationId, kind, credits, day, createdAt) values (?, ?, 'x', 'reserve', ?, ?, 1)",
    )
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

  test('while its thread is deleted, and goes on when it is restored', async () => {
    const threadId = await busyThread(short)
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    await env.DB.prepare('update thread set deletedAt = 1 where id = ?').bind(threadId).run()
    await env.DB.prepare(
      "insert into queuedMessage (id, threadId, userId, answerId, text, modelId, createdAt) values ('by-hand-1', ?, ?, ?, '/demo chunks=1 delay=0', 'kimi-k2', 1)",
    )
      .bind(threadId, ada.userId, freshId('answer'))
      .run()
    await env.USER_SYNC.getByName(ada.userId).notify()
    expect(await questionsOf(threadId)).toHaveLength(1)
    wire.mutate('threads.restore', { threadId })
    await settled(threadId, 2)
  })
})

/** Ends the object as a crash does, and lets the time pass until its alarm. */
async function dieAndWake(): Promise<void> {
  await inside(ada, (_object, { storage }) => void storage.sql.exec(turnsAreDue))
  await kill(ada)
  // On a slow machine it may be ringing by itself; nothing but the alarm wakes the object either way.
  await ringAlarm(ada)
}

describe('[U3] exactly once', () => {
  test.each(['lost', 'unheard'] as const)('when the batch that begins it is %s', async (fault) => {
    const threadId = await busyThread()
    await queue(threadId)
    await inside(ada, ({ watch }) => void watch.faults.push(fault))
    await settled(threadId, 2)
  })

  test('when the object dies after D1 took the batch: the alarm finds the turn', async () => {
    const threadId = await busyThread()
    await queue(threadId)
    await inside(ada, ({ watch }) => {
      watch.sticksAt = 'write'
    })
    await until(() => inside(ada, ({ watch }) => watch.hasStuck), Boolean, 'stuck')
    await dieAndWake()
    await settled(threadId, 2)
  })

  test('when the object dies before it began: the alarm begins it', async () => {
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

  test('when the record already knows better than the replica', async () => {
    const threadId = await busyThread()
    const id = await queue(threadId)
    const remove = env.DB.prepare('delete from queuedMessage where id = ?').bind(id)
    await remove.run()
    await env.DB.prepare("delete from contentChange where tbl = 'queuedMessage' and rowId = ? and op = 'd'").bind(id).run()
    await until(
      () => thread(threadId),
      (row) => row?.status === 'ready',
      'ready',
    )
    await wire.caughtUp()
    expect(await questionsOf(threadId)).toHaveLength(1)
    expect((await thread(threadId))?.status).toBe('ready')
    await expectExactLedger()
  })
})
