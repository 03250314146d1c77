// Temporary threads: lists and features that exclude them, mutators that refuse them, and their end. ADR 0114.
import { beforeEach, describe, expect, test } from 'vitest'
import { closedThreadMs, temporaryThreadMs } from '../../worker/contract/limits.ts'
import type { FoundMessages } from '../../worker/contract/threads/search.ts'
import { type CachedFirstPage, firstPageKey } from '../../worker/db/first-page.ts'
import { newId } from '../../worker/db/new-id.ts'
import { systemClock } from '../../worker/lib/clock.ts'
import { runScheduledWork } from '../../worker/scheduled.ts'
import { insert, messageRow, projectRow } from '../support/rows.ts'
import { guest } from './auth/browser.ts'
import { fileCalled } from './authorization/scene.ts'
import { content, env } from './bindings.ts'
import { alarmAt, fireAlarm, setAlarmAt, stubOf } from './sync-object.ts'
import { connected, me, putQuery, recentThreads, threadList, turnArgs, type Wire, type WireQuery } from './sync-wire.ts'
import { until } from './until.ts'

type Guest = Awaited<ReturnType<typeof guest>> & { readonly token: string }

let ada: Guest
let wire: Wire
let projectId: string
beforeEach(async () => {
  const { browser, ...rest } = await guest()
  const { token } = await browser.json<{ token: string }>('/api/auth/token')
  ada = { browser, ...rest, token }
  projectId = newId()
  await insert(content, 'project', projectRow(ada.userId, { id: projectId }))
  wire = await connected(ada, { queries: [me, recentThreads] })
})

const code = (name: string, args: object) => wire.refusalOf(name, args)
const one = (threadId: string): WireQuery => ({ hash: `one-${threadId}`, name: 'threads.one', args: [{ threadId }] })
const column = <T>(name: string, threadId: string) =>
  content.prepare(`select ${name} value from thread where id = ?`).bind(threadId).first<T>('value')
const patch = (...ops: readonly object[]) => wire.send(['changeDesiredQueries', { desiredQueriesPatch: ops }])

/** The page has the thread open before it sends the message, as the real page does. */
async function begin(text = '/demo say=zebra'): Promise<ReturnType<typeof turnArgs>> {
  const args = turnArgs(text)
  patch(putQuery(one(args.threadId)))
  expect(await code('threads.send', { ...args, isTemporary: true })).toBeUndefined()
  return args
}
async function answered(text?: string) {
  const args = await begin(text)
  await wire.until(() => wire.row('thread', args.threadId)?.status === 'ready', 'the answer')
  return args
}

/** Returns the id of a new file without a use. */
async function storedFile(): Promise<string> {
  const id = newId()
  await insert(content, 'attachment', {
    ...fileCalled(id),
    userId: ada.userId,
    uploadId: id,
    etag: '"a"',
    storedAt: 1,
    createdAt: 1,
  })
  return id
}

/** The threads that a browser with only this query receives. */
async function listed(query: WireQuery): Promise<readonly unknown[]> {
  const other = await connected(ada, { queries: [query] })
  const ids = other.rowsOf('thread').map(({ id }) => id)
  await other.close()
  return ids
}

describe('a temporary thread', () => {
  test('is in no list, also when it is pinned, in a project or archived, and only its own page receives it', async () => {
    const { threadId } = await answered()
    const set = (sql: string) => content.prepare(`update thread set ${sql} where id = ?`).bind(threadId).run()
    await set(`pinnedAt = 1, projectId = '${projectId}'`)
    const queries = [
      threadList,
      recentThreads,
      { hash: 'pinned', name: 'threads.pinned', args: [] },
      { hash: 'project', name: 'threads.ofProject', args: [{ projectId, limit: 50 }] },
      { hash: 'deleted', name: 'threads.deleted', args: [{ since: 0 }] },
      { hash: 'bookmarked', name: 'messages.bookmarked', args: [{ limit: 25 }] },
    ]
    for (const query of queries) expect(await listed(query), query.name).toEqual([])
    await set('archivedAt = 1')
    expect(await listed({ hash: 'archived', name: 'threads.archived', args: [{ limit: 50 }] })).toEqual([])
    expect(await listed(one(threadId))).toEqual([threadId])
  })

  test('has no title, costs credits, and ends an hour after its last turn began', async () => {
    const { threadId, messageId, answerId } = await answered()
    expect(await column('title', threadId)).toBeNull()
    const used = content.prepare('select credits from usage where userId = ?').bind(ada.userId).first<number>('credits')
    expect(await used).toBeGreaterThan(0)
    await content.prepare('update thread set expiresAt = 5 where id = ?').bind(threadId).run()
    const next = { ...turnArgs('/demo say=zebra', threadId), parentId: answerId }
    const before = Date.now()
    expect(await code('threads.send', next)).toBeUndefined()
    expect(await column<number>('expiresAt', threadId)).toBeGreaterThanOrEqual(before + temporaryThreadMs)
    await wire.until(() => wire.row('thread', threadId)?.status === 'ready', 'the second answer')
    expect(await column('title', threadId)).toBeNull()
    await content.prepare('update thread set expiresAt = 5 where id = ?').bind(threadId).run()
    expect(await code('threads.answer', { threadId, parentId: messageId, modelId: 'kimi-k2', answerId: newId(), at: 1 })).toBeUndefined()
    expect(await column<number>('expiresAt', threadId)).toBeGreaterThanOrEqual(before + temporaryThreadMs)
  })

  test('is not found by the search, not exported, and not in the first-page cache', async () => {
    const { threadId, messageId } = await answered()
    const fileId = await storedFile()
    const part = { type: 'file', url: `/api/files/${fileId}`, filename: fileCalled(fileId).name, mediaType: 'text/plain', sizeBytes: 1 }
    const metadata = { modelId: 'kimi-k2', modelName: 'Kimi K2', modelIcon: 'i', ending: 'completed', credits: 0 }
    const message = JSON.stringify({ id: 'with-file', role: 'assistant', parts: [part], metadata })
    await insert(content, 'message', messageRow(ada.userId, threadId, { parentId: messageId, message }))
    const kept = turnArgs('/demo say=heron')
    expect(await code('threads.send', kept)).toBeUndefined()
    const { browser, userId, sessionId } = ada
    const search = (query: string) => browser.json<FoundMessages>('/api/messages/search', { body: { query } })
    await until(
      () => search('heron'),
      ({ found }) => found.length > 0,
      'the other thread is found',
    )
    expect((await search('zebra')).found).toEqual([])
    const exported = await (await browser.call('/api/account/export')).text()
    expect(exported).toContain('heron')
    for (const text of ['zebra', threadId, messageId, fileId]) expect(exported, text).not.toContain(text)
    const cached = () => env.FIRST_PAGES?.get<CachedFirstPage>(firstPageKey(userId, sessionId), 'json') ?? null
    const page = await until(cached, (found) => JSON.stringify(found).includes(kept.threadId), 'the first page')
    expect(JSON.stringify(page)).not.toContain(threadId)
  })

  test('refuses what would keep or publish it', async () => {
    const { threadId, answerId } = await answered()
    const place = { threadId, messageId: answerId, at: 1 }
    const threadIds = [threadId]
    const attempts: readonly (readonly [string, object])[] = [
      ['threads.pin', { threadIds, isPinned: true, at: 1 }],
      ['threads.archive', { threadIds, isArchived: true, at: 1 }],
      ['threads.move', { threadIds, projectId }],
      ['shares.create', { ...place, id: newId(), name: null, lifetime: null, isListed: false }],
      ['threads.fork', { ...place, newThreadId: newId() }],
      ['messages.bookmark', { ...place, isBookmarked: true }],
    ]
    for (const [name, args] of attempts) expect(await code(name, args), name).toBe('thread_temporary')
  })

  test('is deleted for good: its answer stops, and the next scheduled run deletes its rows and files', async () => {
    const { threadId, messageId, answerId } = await begin('/demo chunks=5000 delay=25')
    const fileId = await storedFile()
    await insert(content, 'attachmentUse', { attachmentId: fileId, holder: 'message', holderId: messageId, hiddenSince: null })
    await env.FILES?.put(`files/${fileId}`, 'x')
    expect(await code('threads.delete', { threadIds: [threadId], at: 1 })).toBeUndefined()
    await wire.until(() => wire.row('thread', threadId) === undefined, 'the thread is gone')
    await until(
      () => content.prepare('select status from generation where id = ?').bind(answerId).first<string>('status'),
      (status) => status === 'stopped',
      'the answer stops',
    )
    expect(await code('threads.restore', { threadIds: [threadId] })).toBe('not_found')
    await runScheduledWork(env, systemClock)
    const rows = content
      .prepare('select (select count(*) from thread where id = ?1) + (select count(*) from message where threadId = ?1) n')
      .bind(threadId)
    expect(await rows.first('n')).toBe(0)
    expect(await env.FILES?.head(`files/${fileId}`)).toBeNull()
  })
})

describe('the alarm', () => {
  const isRemoved = async (threadId: string) => (await column<number | null>('deletedAt', threadId)) !== null
  test('ends a thread after an hour although it is open', async () => {
    const { threadId } = await answered()
    expect(await alarmAt(ada, 'temporary')).toBe(await column<number>('expiresAt', threadId))
    await content.prepare('update thread set expiresAt = 5 where id = ?').bind(threadId).run()
    await stubOf(ada).notify()
    await fireAlarm(ada)
    await wire.until(() => wire.row('thread', threadId) === undefined, 'the thread is gone')
    expect(await isRemoved(threadId)).toBe(true)
    expect(await alarmAt(ada, 'temporary')).toBeNull()
  })

  test('is set for a thread that its page has closed, and moved back when it opens again', async () => {
    const { threadId } = await answered()
    const before = Date.now()
    patch({ op: 'del', hash: one(threadId).hash })
    await wire.settled()
    const closedAt = await alarmAt(ada, 'temporary')
    expect(closedAt).toBeGreaterThanOrEqual(before + closedThreadMs)
    expect(closedAt).toBeLessThan(before + temporaryThreadMs)
    patch(putQuery(one(threadId)))
    await wire.settled()
    expect(await alarmAt(ada, 'temporary')).toBe(await column<number>('expiresAt', threadId))
    await setAlarmAt(ada, 'temporary', 1)
    await fireAlarm(ada)
    expect(await isRemoved(threadId)).toBe(false)
  })

  test('is set when the connection is lost, and a page that returns in time keeps the thread', async () => {
    const { threadId } = await answered()
    await wire.close()
    await until(
      () => alarmAt(ada, 'temporary'),
      (at) => at !== null && at < Date.now() + temporaryThreadMs / 2,
      'the alarm',
    )
    wire = await connected(ada, { queries: [me, one(threadId)] })
    expect(wire.row('thread', threadId)).toBeDefined()
    expect(await alarmAt(ada, 'temporary')).toBe(await column<number>('expiresAt', threadId))
  })
})
