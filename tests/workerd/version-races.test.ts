// Conflicting actions of two devices on one thread, in unusual orders: one succeeds, the other is refused with a reason, and the shown path
// always leads to the first message. The audit after each test checks the credits.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { content } from './bindings.ts'
import { connected, freshId, me, newUser, recentThreads, turnArgs, type Wire } from './sync-wire.ts'

let one: Wire
let two: Wire
let threadId: string
beforeEach(async () => {
  const ada = await newUser()
  one = await connected(ada, { queries: [me, recentThreads] })
  two = await connected(ada, { queries: [me, recentThreads] })
  threadId = freshId('thread')
})
afterEach(async () => {
  await expectPathInSight()
  await Promise.all([one, two].map((wire) => wire.close()))
})

const short = '/demo chunks=2 delay=0'
/** Lasts until concurrent mutations are decided. */
const lasting = '/demo chunks=2 delay=100'
const long = '/demo chunks=5000 delay=20'

/** Null if it was accepted, otherwise the code. */
async function act(wire: Wire, name: string, args: object): Promise<string | null> {
  const id = wire.mutate(name, args)
  await wire.confirmed(id)
  return (wire.results.get(`${wire.clientID}/${id}`) as { details?: { code: string } } | undefined)?.details?.code ?? null
}

const rows = async (sql: string, ...values: string[]) =>
  (
    await content
      .prepare(sql)
      .bind(...values)
      .all<Record<string, unknown>>()
  ).results

const isReady = (wire: Wire, id = threadId) => wire.row('thread', id)?.status === 'ready'
const ready = (id = threadId) => Promise.all([one, two].map((wire) => wire.until(() => isReady(wire, id), 'ready')))

async function say(text = short, parentId: string | null = null): Promise<{ readonly messageId: string; readonly answerId: string }> {
  const args = { ...turnArgs(text, threadId), parentId }
  expect(await act(one, 'threads.send', args)).toBeNull()
  if (text !== long) await ready()
  else await Promise.all([one, two].map((wire) => wire.until(() => wire.row('thread', threadId)?.status === 'submitted', 'submitted')))
  return args
}
const again = (parentId: string) => ({ threadId, parentId, modelId: 'kimi-k2', answerId: freshId('answer'), at: 1 })
const queued = (text = short) => ({ id: freshId('queued'), answerId: freshId('answer'), threadId, modelId: 'kimi-k2', text, at: 1 })
const answersTo = (messageId: string) => rows('select id, message from message where parentId = ?', messageId)

async function expectPathInSight(): Promise<void> {
  for (const { id, headId, deletedAt } of await rows('select id, headId, deletedAt from thread where userId = ?', one.user.userId)) {
    if (deletedAt !== null) continue
    const path = await rows(
      `with recursive path (id, parentId, deletedAt) as (
         select id, parentId, deletedAt from message where id = ?1 and threadId = ?2
         union select message.id, message.parentId, message.deletedAt from message join path on message.id = path.parentId)
       select * from path`,
      String(headId),
      String(id),
    )
    expect(path.at(-1)?.parentId).toBeNull()
    expect(path.filter((message) => message.deletedAt !== null)).toEqual([])
  }
}

describe('concurrently', () => {
  test('two tabs that regenerate create one version', async () => {
    const { messageId } = await say(lasting)
    const codes = await Promise.all([one, two].map((wire) => act(wire, 'threads.answer', again(messageId))))
    expect(codes.toSorted()).toEqual([null, 'thread_busy'].toSorted())
    await ready()
    expect(await answersTo(messageId)).toHaveLength(2)
  })

  test('two tabs that press "Send now" create one turn of a queued message', async () => {
    await say(long)
    const args = queued()
    expect(await act(one, 'queue.add', args)).toBeNull()
    await act(two, 'threads.stop', { threadId })
    await ready()
    await two.until(() => two.row('queuedMessage', args.id)?.hold === 'stopped', 'held')
    const codes = await Promise.all([one, two].map((wire) => act(wire, 'queue.send', { id: args.id, at: 1 })))
    expect(codes.filter((code) => code === null)).toHaveLength(1)
    expect(['thread_busy', 'not_found']).toContain(codes.find((code) => code !== null))
    await ready()
    expect(await answersTo(args.id)).toHaveLength(1)
    expect(await act(two, 'queue.edit', { id: args.id, mode: 'chat' })).toBe('not_found')
    expect(await act(two, 'queue.remove', { id: args.id })).toBe('not_found')
  })

  test('a stop on one device and a queued message on another: held, not sent, not lost', async () => {
    await say(long)
    const args = queued()
    await Promise.all([act(one, 'threads.stop', { threadId }), act(two, 'queue.add', args)])
    await ready()
    await one.until(() => one.row('queuedMessage', args.id)?.hold === 'stopped', 'held')
    expect(await act(one, 'queue.send', { id: args.id, at: 1 })).toBeNull()
    await ready()
  })

  test('editing a question and answering it again: one of them succeeds', async () => {
    const { messageId } = await say(lasting)
    const edit = { ...turnArgs(lasting, threadId), parentId: null }
    const codes = await Promise.all([act(one, 'threads.send', edit), act(two, 'threads.answer', again(messageId))])
    expect(codes.toSorted()).toEqual([null, 'thread_busy'].toSorted())
    await ready()
  })
})

describe('while an answer streams', () => {
  test('a fork contains the text so far, and is independent', async () => {
    const first = await say()
    const { messageId } = await say(long, first.answerId)
    const newThreadId = freshId('fork-of-this')
    expect(await act(two, 'threads.fork', { threadId, messageId, newThreadId, at: 1 })).toBeNull()
    expect(await act(two, 'threads.fork', { threadId, messageId, newThreadId, at: 1 })).toBe('invalid_request')
    await two.until(() => isReady(two, newThreadId), 'the fork')
    expect(await act(two, 'threads.answer', { ...again(`${newThreadId}-2`), threadId: newThreadId })).toBeNull()
    expect(one.row('thread', threadId)).toMatchObject({ status: 'submitted' })
    await act(one, 'threads.stop', { threadId })
    await act(one, 'threads.stop', { threadId: newThreadId })
    await Promise.all([ready(), ready(newThreadId)])
  })
})

test('a held queue follows the shown branch when it is resumed', async () => {
  const { messageId } = await say(long)
  const args = queued()
  await act(one, 'queue.add', args)
  await act(one, 'threads.stop', { threadId })
  await ready()
  const other = await say(short)
  expect(await act(two, 'queue.send', { id: args.id, at: 1 })).toBeNull()
  await ready()
  expect(await rows('select parentId from message where id = ?', args.id)).toEqual([{ parentId: other.answerId }])
  expect(await answersTo(messageId)).toHaveLength(1)
})
