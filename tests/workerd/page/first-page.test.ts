// The first page of a route: for its session only, from KV if it is cached, otherwise from D1, with the same content.
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import type { FirstPage } from '../../../worker/contract/first-page.ts'
import type { ErrorBody } from '../../../worker/contract/http.ts'
import { type CachedFirstPage, firstPageKey } from '../../../worker/db/first-page.ts'
import { insert, messageRow, projectRow, threadRow } from '../../support/rows.ts'
import { Browser, guest } from '../auth/browser.ts'
import { content, env } from '../bindings.ts'
import { connected, me, threadList, type Wire } from '../sync-wire.ts'
import { until } from '../until.ts'

type Guest = Awaited<ReturnType<typeof guest>>

/** The Worker's `env` has the binding; by its type it may be missing. */
const firstPages = env.FIRST_PAGES as KVNamespace
const keyOf = ({ userId, sessionId }: Guest) => firstPageKey(userId, sessionId)
const cachedPageOf = async (ada: Guest): Promise<CachedFirstPage | null> => firstPages.get<CachedFirstPage>(keyOf(ada), 'json')

async function firstPage({ browser }: { readonly browser: Browser }, threadId?: string) {
  const response = await browser.call(`/_serverFn/first-page${threadId === undefined ? '' : `?threadId=${threadId}`}`)
  if (!response.ok) throw new Error(`status ${response.status}`)
  return { page: (await response.json()) as FirstPage, source: response.headers.get('x-first-page') }
}

async function connect({ browser, userId }: Guest): Promise<Wire> {
  const { token } = await browser.json<{ token: string }>('/api/auth/token')
  return connected({ userId, token }, { queries: [me, threadList] })
}

async function withThread(ada: Guest, title = 'Tides') {
  const project = projectRow(ada.userId, { name: `Project of ${title}` })
  const thread = threadRow(ada.userId, {
    title,
    headId: `head-of-${ada.userId}`,
    projectId: String(project.id),
    streamId: null,
    deletedAt: null,
  })
  const message = messageRow(ada.userId, String(thread.id), { id: `head-of-${ada.userId}`, parentId: null })
  await insert(content, 'project', project)
  await insert(content, 'thread', thread)
  await insert(content, 'message', message)
  return { threadId: String(thread.id), messageId: String(message.id) }
}

let ada: Guest
let ben: Guest
beforeAll(async () => {
  ada = await guest()
  ben = await guest()
})

describe('GET /_serverFn/first-page', () => {
  test('requires a session, and a valid thread id', async () => {
    const refused = async (browser: Browser, query = '') => {
      const response = await browser.call(`/_serverFn/first-page${query}`)
      return [response.status, ((await response.json()) as ErrorBody).error.code, response.headers.get('cache-control')]
    }
    expect(await refused(new Browser())).toEqual([401, 'session_required', 'no-store'])
    expect(await refused(ada.browser, '?threadId=no%20id')).toEqual([400, 'invalid_request', 'no-store'])
    expect((await ada.browser.call('/_serverFn/other')).status).toBe(404)
    expect((await ada.browser.call('/_serverFn/first-page', { method: 'POST' })).status).toBe(404)
    expect((await ada.browser.call('/_serverFn', { method: 'POST' })).status).toBe(404)
    const misspelt = await ada.browser.call('/_serverFnx')
    expect(misspelt.headers.get('content-type')).not.toContain('application/json')
  })

  test.each(['/_serverFn', '/_serverFn/'])('returns the same data at its base path %s', async (path) => {
    const cleo = await guest()
    const { threadId } = await withThread(cleo)
    const response = await cleo.browser.call(`${path}?threadId=${threadId}`)
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(await response.json()).toEqual((await firstPage(cleo, threadId)).page)
    expect((await new Browser().call(path)).status).toBe(401)
  })

  test('returns everything on the first screen, times as numbers, and the session without its token', async () => {
    const { threadId, messageId } = await withThread(ada)
    const { page, source } = await firstPage(ada, threadId)
    expect(source).toBe('d1')
    expect(page).toMatchObject({
      user: { id: ada.userId, isAnonymous: true, createdAt: expect.any(Number) },
      settings: { userId: ada.userId, mode: 'dark' },
      usage: { userId: ada.userId, credits: 0 },
      customer: null,
      organizationCustomers: [],
      threads: [{ id: threadId, title: 'Tides' }],
      projects: [{ name: 'Project of Tides', createdAt: expect.any(Number), updatedAt: expect.any(Number) }],
      thread: { id: threadId, project: { name: 'Project of Tides' }, messages: [{ id: messageId }] },
    })
    expect(page.model?.id).toBe(page.settings?.modelId)
    expect(Object.keys(page.session).sort()).toEqual(
      ['activeOrganizationId', 'createdAt', 'expiresAt', 'id', 'ipAddress', 'updatedAt', 'userAgent', 'userId'].sort(),
    )
    const { id, expiresAt, createdAt, updatedAt } = page.session
    expect([id, typeof expiresAt, typeof createdAt, typeof updatedAt]).toEqual([ada.sessionId, 'number', 'number', 'number'])
  })

  test('another user’s thread looks like a missing one', async () => {
    const { threadId } = await withThread(ben, 'Secret')
    expect((await firstPage(ada, threadId)).page.thread).toBeNull()
    expect((await firstPage(ada, 'no-such-thread')).page.thread).toBeNull()
    // Also not by the name of its project.
    expect(JSON.stringify(await firstPage(ada, threadId))).not.toContain('Secret')
  })
})

describe('the first-page cache', () => {
  test('[N1] is written at a connect, labelled, with the rows of the database', async () => {
    const cleo = await guest()
    const { threadId } = await withThread(cleo)
    const fromRecord = await firstPage(cleo, threadId)
    const wire = await connect(cleo)
    const page = await until(
      () => cachedPageOf(cleo),
      (value) => value !== null,
    )
    expect(page).toMatchObject({ userId: cleo.userId, version: expect.any(String), cookie: wire.cookie, writtenAtMs: expect.any(Number) })
    const fromKv = await firstPage(cleo, threadId)
    expect([fromRecord.source, fromKv.source]).toEqual(['d1', 'kv'])
    expect(fromKv.page).toEqual(fromRecord.page)
    await wire.close()
  })

  test('[N4] is read by its own session only and deleted by a sign-out', async () => {
    const cleo = await guest()
    const wire = await connect(cleo)
    await until(
      () => cachedPageOf(cleo),
      (value) => value !== null,
    )
    // Another user's key can be guessed but not requested: it is derived from the requesting session.
    expect((await firstPage(ben)).page.user?.id).toBe(ben.userId)
    expect((await firstPage(ben)).source).toBe('d1')
    await cleo.browser.json('/api/auth/sign-out', { body: {} })
    await wire.untilClosed()
    await until(
      () => cachedPageOf(cleo),
      (value) => value === null,
    )
    expect((await cleo.browser.call('/_serverFn/first-page')).status).toBe(401)
  })

  test('[N6] an old value shows a deleted thread until the first poke, the next value does not', async () => {
    const cleo = await guest()
    const { threadId } = await withThread(cleo)
    const wire = await connect(cleo)
    const old = await until(
      () => cachedPageOf(cleo),
      (value) => value?.rows.threads.length === 1,
    )
    await wire.confirmed(wire.push([{ name: 'threads.delete', args: { threadIds: [threadId], at: 1 } }]))
    await until(
      () => cachedPageOf(cleo),
      (value) => value?.rows.threads.length === 0,
    )
    await wire.close()
    // KV may return its previous value for a while.
    await firstPages.put(keyOf(cleo), JSON.stringify(old))
    expect((await firstPage(cleo, threadId)).page.thread?.id).toBe(threadId)
    const later = await connect(cleo)
    expect([later.got.size, later.rowsOf('thread')]).toEqual([2, []])
    await later.confirmed(later.push([{ name: 'settings.update', args: { nickname: 'Later' } }]))
    const next = await until(
      () => cachedPageOf(cleo),
      (value) => value?.rows.settings?.nickname === 'Later',
    )
    expect([next?.rows.threads, next?.recent]).toEqual([[], []])
    await later.close()
  })
})

describe.skipIf(env.ASSETS === undefined)('the page', () => {
  test('contains the rows and a token for its socket; a visitor’s page contains neither', async () => {
    const cleo = await guest()
    const { threadId } = await withThread(cleo, '</script><b>Tides</b>')
    const inlinedIn = async (browser: Browser, path: string) => {
      const html = await (await browser.call(path)).text()
      const text = /<script type="application\/json" id="first-page"[^>]*>(.*?)<\/script>/s.exec(html)?.[1]
      return text === undefined ? null : (JSON.parse(text) as { syncToken: string; firstPage: FirstPage })
    }
    const inlined = await inlinedIn(cleo.browser, `/${threadId}`)
    expect(inlined?.firstPage).toMatchObject({ threads: [{ title: '</script><b>Tides</b>' }], thread: { id: threadId } })
    // The page derives the server's time from it.
    expect(Math.abs(Number(decodeJwt(inlined?.syncToken ?? '').iat) * 1000 - Date.now())).toBeLessThan(60_000)
    const wire = await connected({ userId: cleo.userId, token: inlined?.syncToken ?? '' }, { queries: [me] })
    expect(wire.rowsOf('user')).toMatchObject([{ id: cleo.userId }])
    await wire.close()
    expect(await inlinedIn(new Browser(), '/')).toBeNull()
    expect((await inlinedIn(ben.browser, `/${threadId}`))?.firstPage.thread).toBeNull()
  })
})
