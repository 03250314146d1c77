// Bookmarks: their list, live on every device, and what deletions take out of it.
import { beforeEach, expect, test } from 'vitest'
import { maxThreadBookmarks } from '../../worker/contract/limits.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insert, insertStatement, messageRow, threadRow } from '../support/rows.ts'
import { content } from './bindings.ts'
import { connected, me, newUser, recentThreads, type SyncUser, type Wire } from './sync-wire.ts'

const bookmarked = { hash: 'bookmarked', name: 'messages.bookmarked', args: [{ limit: 25 }] }

let ada: SyncUser
let wire: Wire
/** A device that receives bookmarks only. */
let other: Wire
let threadId: string
/** A question, its answer, and a question below. */
let ids: readonly [string, string, string]
beforeEach(async () => {
  ada = await newUser()
  threadId = newId()
  ids = [newId(), newId(), newId()]
  await insert(content, 'thread', threadRow(ada.userId, { id: threadId, headId: ids[2] }))
  for (const [i, id] of ids.entries())
    await insert(
      content,
      'message',
      messageRow(ada.userId, threadId, { id, parentId: i === 0 ? null : (ids[i - 1] ?? null), createdAt: i + 1 }),
    )
  wire = await connected(ada, { queries: [me, recentThreads] })
  other = await connected(ada, { queries: [bookmarked] })
})

const code = (name: string, args: object) => wire.refusalOf(name, args)
const bookmark = (messageId: string, isBookmarked = true) => code('messages.bookmark', { threadId, messageId, isBookmarked, at: 1 })
const listed = () => other.rowsOf('message').map(({ id }) => id)

test('another device receives a bookmark and its removal, with the thread of the message', async () => {
  expect(await bookmark(ids[1])).toBeUndefined()
  await other.until(() => listed().includes(ids[1]), 'the bookmark')
  expect(other.rowsOf('thread')).toMatchObject([{ id: threadId }])
  expect(await bookmark(ids[1], false)).toBeUndefined()
  await other.until(() => listed().length === 0, 'its removal')
})

test('a deleted message takes its bookmark and those below with it, and restoring returns them', async () => {
  for (const id of ids) expect(await bookmark(id)).toBeUndefined()
  await other.until(() => listed().length === 3, 'three bookmarks')
  const place = { threadId, messageId: ids[1], at: 1 }
  expect(await code('messages.delete', place)).toBeUndefined()
  await other.until(() => listed().length === 1, 'the bookmark of the first message')
  expect(listed()).toEqual([ids[0]])
  expect(await bookmark(ids[2])).toBe('not_found')
  expect(await code('messages.restore', place)).toBeUndefined()
  await other.until(() => listed().length === 3, 'all bookmarks')
})

test('a deleted thread takes its bookmarks with it, and restoring returns them', async () => {
  expect(await bookmark(ids[0])).toBeUndefined()
  await other.until(() => listed().length === 1, 'a bookmark')
  expect(await code('threads.delete', { threadIds: [threadId], at: 1 })).toBeUndefined()
  await other.until(() => listed().length === 0, 'no bookmark')
  expect(await code('threads.restore', { threadIds: [threadId] })).toBeUndefined()
  await other.until(() => listed().length === 1, 'the bookmark')
})

test('a thread has a limit of bookmarks', async () => {
  const at = (i: number) =>
    messageRow(ada.userId, threadId, { id: `${threadId}-${i}`, parentId: ids[2], createdAt: 10 + i, bookmarkedAt: 1 })
  await content.batch(Array.from({ length: maxThreadBookmarks - 1 }, (_, i) => insertStatement(content, 'message', at(i))))
  expect(await bookmark(ids[0])).toBeUndefined()
  expect(await bookmark(ids[1])).toBe('bookmark_limit_reached')
  expect(await bookmark(ids[0], false)).toBeUndefined()
  expect(await bookmark(ids[1])).toBeUndefined()
})

test('a fork has no bookmarks', async () => {
  expect(await bookmark(ids[0])).toBeUndefined()
  const newThreadId = newId()
  expect(await code('threads.fork', { threadId, messageId: ids[2], newThreadId, at: 1 })).toBeUndefined()
  const copied = content.prepare('select count(*) n, count(bookmarkedAt) marked from message where threadId = ?').bind(newThreadId)
  expect(await copied.first()).toEqual({ n: 3, marked: 0 })
})
