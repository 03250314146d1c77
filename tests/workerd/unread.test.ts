// Unread answers: when they are set and cleared on every device, and the claim that allows one page to notify the user.
import { beforeEach, expect, test } from 'vitest'
import { connected, me, newUser, recentThreads, type SyncUser, threadList, turnArgs, type Wire } from './sync-wire.ts'

let ada: SyncUser
let desk: Wire
let phone: Wire
beforeEach(async () => {
  ada = await newUser()
  desk = await connected(ada, { queries: [me, recentThreads, threadList] })
  phone = await connected(ada, { queries: [me, recentThreads, threadList] })
})

const unreadAt = (wire: Wire, threadId: string) => wire.row('thread', threadId)?.unreadAt as number | null | undefined
const isUnread = (wire: Wire, threadId: string) => wire.until(() => unreadAt(wire, threadId) != null, 'an unread answer')
const isRead = (wire: Wire, threadId: string) => wire.until(() => unreadAt(wire, threadId) == null, 'the answer is read')

/** Resolves with the thread when both devices have its unread answer. */
async function answered(args = turnArgs()): Promise<{ readonly threadId: string; readonly unreadAt: number }> {
  const { threadId } = args
  expect(await desk.refusalOf('threads.send', args)).toBeUndefined()
  for (const wire of [desk, phone]) await isUnread(wire, threadId)
  return { threadId, unreadAt: unreadAt(desk, threadId) ?? 0 }
}

test('a finished answer is unread on every device, until one of them has shown it', async () => {
  const answer = await answered()
  expect(await phone.refusalOf('threads.markRead', answer)).toBeUndefined()
  for (const wire of [desk, phone]) await isRead(wire, answer.threadId)
})

test('an answer that ended after the shown one stays unread', async () => {
  const { threadId, unreadAt: at } = await answered()
  expect(await phone.refusalOf('threads.markRead', { threadId, unreadAt: at - 1 })).toBeUndefined()
  expect(unreadAt(phone, threadId)).toBe(at)
})

test('the next message marks the answers before it as read', async () => {
  const { threadId } = await answered()
  const parentId = desk.row('thread', threadId)?.headId
  expect(await phone.refusalOf('threads.send', { ...turnArgs('/demo chunks=5000 delay=25', threadId), parentId })).toBeUndefined()
  await isRead(desk, threadId)
  expect(await phone.refusalOf('threads.stop', { threadId })).toBeUndefined()
})

test('an answer that the user stopped is not unread', async () => {
  const { threadId, ...args } = turnArgs('/demo chunks=5000 delay=25')
  expect(await desk.refusalOf('threads.send', { threadId, ...args })).toBeUndefined()
  expect(await desk.refusalOf('threads.stop', { threadId })).toBeUndefined()
  await desk.until(() => desk.row('thread', threadId)?.status === 'ready', 'the end')
  expect(unreadAt(desk, threadId)).toBeNull()
})

test('accepts one of two concurrent claims for each answer', async () => {
  const first = await answered()
  const claims = (answer: object) => Promise.all([desk, phone].map((wire) => wire.refusalOf('threads.claimNotice', answer)))
  expect((await claims(first)).toSorted()).toEqual(['not_found', undefined])
  expect((await claims(first)).toSorted()).toEqual(['not_found', 'not_found'])
  const { threadId } = first
  const parentId = desk.row('thread', threadId)?.headId
  expect(await desk.refusalOf('threads.send', { ...turnArgs('/demo chunks=1 delay=0', threadId), parentId })).toBeUndefined()
  await desk.until(() => (unreadAt(desk, threadId) ?? 0) > first.unreadAt, 'the second answer')
  const second = { threadId, unreadAt: unreadAt(desk, threadId) ?? 0 }
  expect((await claims(second)).toSorted()).toEqual(['not_found', undefined])
})

test('a claim for an answer that was read meanwhile is refused', async () => {
  const answer = await answered()
  expect(await desk.refusalOf('threads.markRead', answer)).toBeUndefined()
  expect(await phone.refusalOf('threads.claimNotice', answer)).toBe('not_found')
})

test('threads in the archive do not count', async () => {
  const { threadId } = await answered()
  const counted = async () => {
    const other = await connected(ada, { queries: [threadList] })
    const ids = other.rowsOf('thread').map(({ id }) => id)
    await other.close()
    return ids
  }
  expect(await counted()).toEqual([threadId])
  expect(await desk.refusalOf('threads.archive', { threadIds: [threadId], isArchived: true, at: 1 })).toBeUndefined()
  expect(await counted()).toEqual([])
})
