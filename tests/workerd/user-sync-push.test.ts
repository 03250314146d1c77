// Pushed mutations: exactly once, in one D1 batch, with results in the poke of their progress. Rules: worker/sync/SPEC.md, P1 to P3, P5, P10.

import { beforeAll, describe, expect, test } from 'vitest'
import { maxThreadsPerMutation } from '../../worker/contract/limits.ts'
import { messageWindow } from '../support/message-windows.ts'
import { content } from './bindings.ts'
import { batchesDuring } from './sync-object.ts'
import { appError, connected, freshId, me, newUser, nickname, type SyncUser, threadList, turnArgs } from './sync-wire.ts'
import { isWrite } from './watched-db.ts'

let ada: SyncUser
beforeAll(async () => {
  ada = await newUser()
})

describe('[P1] one D1 round trip per push frame', () => {
  test('for a turn: message, thread, generation, reserved credits and usage are one batch', async () => {
    const user = await newUser()
    const args = turnArgs('/demo chunks=1 delay=200')
    const wire = await connected(user, { queries: [me, threadList, messageWindow(args.threadId)] })
    const { batches, singles } = await batchesDuring(user, () => wire.confirmed(wire.mutate('threads.send', args)))
    expect(singles).toEqual([])
    expect(batches).toHaveLength(1)
    expect(wire.row('thread', args.threadId)).toMatchObject({ status: 'submitted', streamId: args.answerId, headId: args.messageId })
    expect(wire.row('message', args.messageId)).toMatchObject({ threadId: args.threadId, message: { role: 'user' } })
    const held = await content.prepare('select credits from generation where id = ?').bind(args.answerId).first()
    expect(wire.rowsOf('usage')).toMatchObject([held])
    await wire.close()
  })
})

describe('[P2] a mutation is applied once', () => {
  test('a gap is an error that names the mutation, and nothing is applied', async () => {
    const wire = await connected(ada, { queries: [me] })
    wire.push([{ ...nickname('Gap'), id: 2 }])
    expect(await wire.receives('error')).toEqual({
      kind: 'PushFailed',
      reason: 'oooMutation',
      origin: 'server',
      message: expect.any(String),
      mutationIDs: [{ clientID: wire.clientID, id: 2 }],
    })
    await wire.untilClosed()
    const progress = await content.prepare('select count(*) n from clientProgress where clientID = ?').bind(wire.clientID).first('n')
    expect(progress).toBe(0)
  })
})

test('[P10] mutations that write more than a batch are several batches, in order', async () => {
  const user = await newUser()
  const prefix = freshId('thread')
  await content
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?3)
       insert into thread (id, userId, status, createdAt, updatedAt) select ?1 || '-' || i, ?2, 'ready', 1, 1 from n`,
    )
    .bind(prefix, user.userId, maxThreadsPerMutation)
    .run()
  const wire = await connected(user, { queries: [threadList] })
  const threadIds = Array.from({ length: maxThreadsPerMutation }, (_, i) => `${prefix}-${i + 1}`)
  const changes = Array.from({ length: 20 }, (_, i) => ({
    name: i % 2 === 0 ? 'threads.restore' : 'threads.delete',
    args: { threadIds, at: 1 },
  }))
  const { batches } = await batchesDuring(user, () => wire.confirmed(wire.push([...changes, nickname('Behind them')])))
  expect(wire.results.size).toBe(0)
  expect(batches.filter((texts) => texts.some(isWrite)).length).toBeGreaterThan(1)
  for (const texts of batches) expect(texts.length).toBeLessThanOrEqual(1000)
  const deleted = await content.prepare('select count(deletedAt) n from thread where userId = ?').bind(user.userId).first('n')
  expect(deleted).toBe(maxThreadsPerMutation)
  expect(await content.prepare('select nickname from setting where userId = ?').bind(user.userId).first('nickname')).toBe('Behind them')
  await wire.close()
})

describe('[P3] a refused mutation advances the progress, writes nothing and has its result in the same poke', () => {
  test('a rule of the contract', async () => {
    const wire = await connected(ada, { queries: [me] })
    const id = wire.mutate('threads.rename', { threadId: 'no-such-thread', title: 'New' })
    await wire.confirmed(id)
    const part = wire.frames.find(
      ([tag, body]) => tag === 'pokePart' && (body.lastMutationIDChanges as Record<string, number>)?.[wire.clientID] === id,
    )
    const mutation = { id: { clientID: wire.clientID, id }, result: appError('not_found') }
    expect(part?.[1].mutationsPatch).toEqual([{ op: 'put', mutation }])
    await wire.confirmed(wire.push([nickname('after a refusal')]))
    await wire.close()
  })

  test('D1 decides last on the daily limit, also when two frames race', async () => {
    const user = await newUser()
    const wire = await connected(user, { queries: [me, threadList] })
    const ids = Array.from({ length: 22 }, () => wire.mutate('threads.send', turnArgs('/demo chunks=1 delay=0')))
    await wire.confirmed(ids.at(-1) ?? 0)
    const refused = ids.filter((id) => wire.results.has(`${wire.clientID}/${id}`))
    expect(refused).toEqual(ids.slice(20))
    expect(wire.results.get(`${wire.clientID}/21`)).toEqual(appError('credits_exhausted'))
    const ledger = await content
      .prepare(`select count(*) n from creditLedger where userId = ? and kind = 'reserve'`)
      .bind(user.userId)
      .first('n')
    expect(ledger).toBe(20)
    await wire.close()
  })

  test('is decided on rows that were read after the push', async () => {
    const user = await newUser()
    const wire = await connected(user, { queries: [me, threadList] })
    const threadId = freshId('response-lost')
    // Without a notification: the object does not have this thread.
    await content.prepare('insert into thread (id, userId, createdAt, updatedAt) values (?, ?, 1, 1)').bind(threadId, user.userId).run()
    await wire.confirmed(wire.mutate('threads.rename', { threadId, title: 'Found' }))
    expect(wire.results.size).toBe(0)
    expect(wire.row('thread', threadId)).toMatchObject({ title: 'Found' })
    await wire.close()
  })

  test('does not affect other mutations of its batch', async () => {
    const bob = await newUser()
    const otherTurn = turnArgs('/demo chunks=1 delay=0')
    const bobs = await connected(bob)
    await bobs.confirmed(bobs.mutate('threads.send', otherTurn))
    await bobs.close()
    const wire = await connected(ada, { queries: [me] })
    const last = wire.push([
      nickname('before'),
      { name: 'threads.send', args: { ...turnArgs(), messageId: otherTurn.messageId } },
      { name: 'settings.update', args: { biography: 'after' } },
    ])
    await wire.confirmed(last)
    expect([...wire.results.keys()]).toEqual([`${wire.clientID}/2`])
    expect(wire.rowsOf('setting')).toMatchObject([{ nickname: 'before', biography: 'after' }])
    await wire.close()
  })
})

describe('[P5] invalid pushes', () => {
  test('for another group', async () => {
    const wire = await connected(ada)
    wire.send(['push', { clientGroupID: 'another', mutations: [], pushVersion: 1, requestID: 'r', timestamp: 1 }])
    expect(await wire.receives('error')).toMatchObject({ kind: 'InvalidPush' })
    await wire.untilClosed()
  })

  test('of rows instead of names', async () => {
    const wire = await connected(ada)
    const crud = { type: 'crud', id: 1, clientID: wire.clientID, name: '_zero_crud', args: [{ ops: [] }], timestamp: 1 }
    wire.send(['push', { clientGroupID: wire.groupID, mutations: [crud], pushVersion: 1, requestID: 'r', timestamp: 1 }])
    expect(await wire.receives('error')).toMatchObject({ kind: 'InvalidPush' })
    await wire.untilClosed()
  })
})
