// Search over HTTP in the user's threads, from the object that holds them. Rules: worker/sync/SPEC.md, L1 to L3.

import { expect, test } from 'vitest'
import type { FoundInThread } from '../../worker/contract/threads/find-in-thread.ts'
import type { FoundMessages } from '../../worker/contract/threads/search.ts'
import { newId } from '../../worker/db/new-id.ts'
import { insertStatement, messageRow, threadRow } from '../support/rows.ts'
import { type Browser, guest, signInByCode } from './auth/browser.ts'
import { content } from './bindings.ts'
import { evict, inside, stubOf } from './sync-object.ts'
import { connected, threadList, type Wire } from './sync-wire.ts'

type TestUser = { readonly browser: Browser; readonly userId: string; readonly token: string }

async function newTestUser(): Promise<TestUser> {
  const { browser, userId } = await guest()
  const { token } = await browser.json<{ token: string }>('/api/auth/token')
  return { browser, userId, token }
}

const ask = (browser: Browser, query: unknown, without?: unknown) => browser.call('/api/messages/search', { body: { query, without } })
const search = ({ browser }: Pick<TestUser, 'browser'>, query: string) =>
  browser.json<FoundMessages>('/api/messages/search', { body: { query } })

/** Threads of one message, as rows of the database. */
async function write({ userId }: TestUser, texts: readonly string[]): Promise<readonly string[]> {
  const threads = texts.map((text, i) => {
    const id = newId()
    const message = { id: newId(), role: 'user', parts: [{ type: 'text', text }] }
    const stored = messageRow(userId, id, { id: message.id, message: JSON.stringify(message), createdAt: 1000 + i })
    return { id, rows: { thread: threadRow(userId, { id, title: `Thread ${i}`, headId: message.id }), message: stored } }
  })
  await content.batch(
    threads.flatMap(({ rows }) => [insertStatement(content, 'thread', rows.thread), insertStatement(content, 'message', rows.message)]),
  )
  await stubOf({ userId, token: '' }).notify()
  return threads.map(({ id }) => id)
}

const connectedTo = (who: TestUser): Promise<Wire> => connected(who, { queries: [threadList] })

test('[L1] finds a thread of this user by its current text', async () => {
  const [ada, ben] = [await newTestUser(), await newTestUser()]
  const [wire, other] = [await connectedTo(ada), await connectedTo(ben)]
  const [moon = '', sun = ''] = await write(ada, ['the moon pulls the sea', 'the sun warms the sea'])
  await wire.until(() => wire.rowsOf('thread').length === 2, 'both threads')
  expect(await search(ada, 'moon')).toEqual({
    found: [{ threadId: moon, messageId: expect.any(String), title: 'Thread 0', excerpt: 'the moon pulls the sea' }],
    isComplete: true,
    isCut: false,
  })
  expect((await search(ada, 'the se')).found.map(({ threadId }) => threadId)).toEqual([sun, moon])
  expect(await search(ben, 'moon')).toEqual({ found: [], isComplete: true, isCut: false })
  await wire.confirmed(wire.mutate('threads.delete', { threadIds: [moon], at: 1 }))
  expect((await search(ada, 'moon')).found).toEqual([])
  await content.prepare('delete from thread where id = ?').bind(sun).run()
  await stubOf(ada).notify()
  expect((await search(ada, 'sun')).found).toEqual([])
  await wire.close()
  await other.close()
})

test('[L2] the index survives hibernation and is updated after it', async () => {
  const ada = await newTestUser()
  const wire = await connectedTo(ada)
  await write(ada, ['before the night'])
  await wire.until(() => wire.rowsOf('thread').length === 1, 'the thread')
  expect((await search(ada, 'night')).found).toHaveLength(1)
  await evict(ada)
  expect((await search(ada, 'night')).found).toHaveLength(1)
  await write(ada, ['after the night'])
  await wire.until(() => wire.rowsOf('thread').length === 2, 'the other thread')
  expect((await search(ada, 'night')).found).toHaveLength(2)
  await wire.close()
})

test('[L3] a search for a user without a connection finds and stores nothing', async () => {
  const ada = await newTestUser()
  await write(ada, ['nobody has read this'])
  expect(await search(ada, 'read')).toEqual({ found: [], isComplete: false, isCut: false })
  const stored = await inside(ada, (_object, state) => [...state.storage.kv.list()].length)
  expect(stored).toBe(0)
})

test('[L3] a deleted account has no index and no results', async () => {
  const { browser, userId } = await guest()
  const { userId: account } = await signInByCode(browser, `found-${userId.slice(0, 8).toLowerCase()}@example.test`)
  const { token } = await browser.json<{ token: string }>('/api/auth/token')
  const ada = { browser, userId: account, token }
  const wire = await connectedTo(ada)
  await write(ada, ['to be forgotten'])
  await wire.until(() => wire.rowsOf('thread').length === 1, 'the thread')
  expect((await search(ada, 'forgotten')).found).toHaveLength(1)
  await browser.json('/api/auth/delete-user', { body: {} })
  expect((await ask(browser, 'forgotten')).status).toBe(401)
  const tables = await inside(ada, (_object, { storage }) =>
    storage.sql.exec("select name from sqlite_master where name like 'search%'").toArray(),
  )
  expect(tables).toEqual([])
})

test('[L1] excluded threads are left out, and the answer reports more', async () => {
  const ada = await newTestUser()
  const wire = await connectedTo(ada)
  const ids = await write(
    ada,
    Array.from({ length: 20 }, (_, i) => `the tide number ${i}`),
  )
  await wire.until(() => wire.rowsOf('thread').length === 20, 'all threads')
  const newest = ids.toReversed()
  const threadsOf = ({ found }: FoundMessages) => found.map(({ threadId }) => threadId)
  const first = await search(ada, 'tide')
  expect([threadsOf(first), first.isCut]).toEqual([newest.slice(0, 8), true])
  const second = await ask(ada.browser, 'tide', newest.slice(0, 13))
  expect(await second.json()).toMatchObject({ found: newest.slice(13).map((threadId) => ({ threadId })), isCut: false })
  await wire.close()
})

test('[L4] refuses searches above the limit with a reason', async () => {
  const ada = await newTestUser()
  const wire = await connectedTo(ada)
  const statuses = new Set<number>()
  // So many that all are accepted only if they take most of a minute.
  for (const { status } of await Promise.all(Array.from({ length: 200 }, () => ask(ada.browser, 'moon')))) statuses.add(status)
  expect([...statuses].toSorted()).toEqual([200, 429])
  await wire.close()
})

test('[L1] filters by role, model, project and time', async () => {
  const ada = await newTestUser()
  const wire = await connectedTo(ada)
  const [first = '', second = ''] = await write(ada, ['the tide rises', 'the tide falls'])
  await wire.until(() => wire.rowsOf('thread').length === 2, 'both threads')
  const filtered = async (filter: object, query = 'tide') => {
    const { found } = await ada.browser.json<FoundMessages>('/api/messages/search', { body: { query, filter } })
    return found.map(({ threadId }) => threadId)
  }
  expect(await filtered({ role: 'user' })).toEqual([second, first])
  expect(await filtered({ role: 'assistant' })).toEqual([])
  expect(await filtered({ modelId: 'kimi-k2' })).toEqual([])
  expect(await filtered({ untilMs: 1001 })).toEqual([first])
  expect(await filtered({ sinceMs: 1001 }, '')).toEqual([second])
  const projectId = newId()
  await wire.confirmed(wire.mutate('projects.create', { id: projectId, name: 'Tea', at: 1 }))
  await wire.confirmed(wire.mutate('threads.move', { threadIds: [first], projectId }))
  expect(await filtered({ projectId })).toEqual([first])
  await wire.close()
})

test('[L7] finds in a thread of this user', async () => {
  const [ada, ben] = [await newTestUser(), await newTestUser()]
  const [wire, other] = [await connectedTo(ada), await connectedTo(ben)]
  const [threadId = ''] = await write(ada, ['sea, Sea and more'])
  await wire.until(() => wire.rowsOf('thread').length === 1, 'the thread')
  const messageId = await content.prepare('select id from message where threadId = ?').bind(threadId).first<string>('id')
  const find = ({ browser }: TestUser) => browser.json<FoundInThread>('/api/messages/find', { body: { threadId, messageId, query: 'sea' } })
  expect(await find(ada)).toEqual({ found: [{ messageId, count: 2 }], next: null })
  expect(await find(ben)).toEqual({ found: [], next: null })
  for (const query of ['', 7, 'x'.repeat(201)])
    expect((await ada.browser.call('/api/messages/find', { body: { threadId, messageId, query } })).status).toBe(400)
  await wire.close()
  await other.close()
})

test('refuses an invalid request', async () => {
  const { browser } = await newTestUser()
  for (const query of ['', 7, null, ['moon'], 'x'.repeat(201)]) expect((await ask(browser, query)).status).toBe(400)
  for (const without of ['moon', [7], [''], Array.from({ length: 31 }, newId)])
    expect((await ask(browser, 'moon', without)).status).toBe(400)
  expect((await browser.call('/api/messages/search', { method: 'POST' })).status).toBe(400)
})
