// The first page with a faulty KV. A user is never shown another user's rows, the list on the screen is the database's after one poke, and
// deleted threads do not reappear after it. Rules: worker/first-page/SPEC.md, N1, N5, N6.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { mergeThreads } from '../../../web/sync/merge-rows.ts'
import type { ThreadRow } from '../../../web/sync/rows.ts'
import type { FirstPage, SessionDetails } from '../../../worker/contract/first-page.ts'
import { threadPageSize } from '../../../worker/contract/limits.ts'
import { firstPageKey, parseCachedFirstPage } from '../../../worker/db/first-page.ts'
import { firstPageFor } from '../../../worker/page/first-page.ts'
import type { MemoryD1 } from '../../support/node-object/memory-d1.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { silenceLogs } from '../../support/silence-logs.ts'
import { LoneObject } from '../user-sync/lone-object.ts'
import { Tab } from '../user-sync/tab.ts'
import { newRecord } from '../user-sync/truth.ts'
import { FickleKv, type Mood, moods } from './fickle-kv.ts'

const cases = Number(process.env.CASES ?? (process.env.PARLEY_LONG ? 20_000 : 400))
const firstSeed = Number(process.env.SEED ?? 1)
const casesPerWorld = 50
const userIds = ['ada', 'bob'] as const
const list = { hash: 'list', name: 'threads.list', args: [{ limit: threadPageSize }] }
const recent = { hash: 'recent', name: 'threads.recent', args: [] }

silenceLogs()
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

let nowMs = 1_800_000_000_000
let made = 0
function pass(ms: number): void {
  nowMs += ms
  vi.setSystemTime(nowMs)
}

const sessionOf = (userId: string): SessionDetails => {
  const times = { expiresAt: 9e15, createdAt: 1, updatedAt: 1 }
  return { id: `${userId}-session`, userId, ...times, ipAddress: null, userAgent: null, activeOrganizationId: null }
}

const listed = (d1: MemoryD1, userId: string): string[] =>
  d1
    .all<{ id: string }>(
      'select id from thread where userId = ? and deletedAt is null order by updatedAt desc, id limit ?',
      userId,
      threadPageSize,
    )
    .map(({ id }) => id)

/** A random write to the database. */
function write(rng: Rng, d1: MemoryD1, userId: string): void {
  const ids = d1.all<{ id: string }>('select id from thread where userId = ?', userId).map(({ id }) => id)
  const id = ids.length > 0 ? rng.pick(ids) : ''
  made += 1
  const acts = [
    () => d1.all('insert into thread (id, userId, title, createdAt, updatedAt) values (?1, ?2, ?1, 1, ?3)', `t${made}`, userId, nowMs),
    () => d1.all('insert into thread (id, userId, title, createdAt, updatedAt) values (?1, ?2, ?1, 1, ?3)', `t${made}`, userId, nowMs),
    () => d1.all('update thread set deletedAt = ?, updatedAt = ? where id = ?', nowMs, nowMs, id),
    () => d1.all('delete from thread where id = ?', id),
    () => d1.all('update thread set deletedAt = null, updatedAt = ? where id = ?', nowMs, id),
    () => d1.all('update thread set title = ?, updatedAt = ? where id = ?', `Title ${made}`, nowMs, id),
    () => d1.all('update setting set nickname = ? where userId = ?', `Name ${made}`, userId),
  ]
  rng.pick(acts)()
}

function checkOwner(page: FirstPage, userId: string, what: string): void {
  const { session, settings, usage, user, customer, threads, thread } = page
  const owners = [session, settings, usage, customer, thread, ...threads, ...(thread?.messages ?? [])].map((row) => row?.userId ?? userId)
  expect(new Set([...owners, user?.id ?? userId]), what).toEqual(new Set([userId]))
}

const rowsOf = (tab: Tab): ThreadRow[] =>
  // The page's own query excludes deleted threads.
  [...tab.rows].flatMap(([key, row]) => (key.startsWith('thread/') && row.deletedAt === null ? [row as unknown as ThreadRow] : []))
const shown = (tab: Tab, served: FirstPage | null): string[] =>
  mergeThreads(rowsOf(tab), served?.threads ?? [], threadPageSize).map(({ id }) => id)

/** The page's socket opens and receives the first poke only. */
async function openPage(object: LoneObject, tab: Tab): Promise<void> {
  const { userId } = object
  const { url, subProtocol } = tab.connectRequest(userId, null, false)
  const { initConnectionMessage } = JSON.parse(atob(decodeURIComponent(subProtocol))) as { initConnectionMessage: unknown }
  const line = await object.mustConnect({ params: Object.fromEntries(url.searchParams), sent: { initConnectionMessage } })
  tab.opened(line.client)
  receiveAll(tab)
  expect(tab.isConnected).toBe(true)
}

function receiveAll(tab: Tab): void {
  while (tab.receive());
}

async function closePage(object: LoneObject, tab: Tab): Promise<void> {
  for (const server of object.object.sockets) await object.object.awake().webSocketClose(server as unknown as WebSocket, 1000)
  for (const server of object.object.sockets) server.readyState = WebSocket.CLOSED
  object.object.sweep()
  tab.closed()
}

async function sweep(seed: number, met: Set<Mood>): Promise<void> {
  const rng = createRng(seed)
  pass(1_000_000)
  const d1 = newRecord()
  const kv = new FickleKv(rng, () => nowMs)
  const objects = userIds.map((userId) => new LoneObject(d1, userId, { kv: kv.namespace }))
  const tabs = userIds.map((userId) => new Tab(`group-${userId}`, `client-${userId}`))
  for (const tab of tabs) for (const query of [list, recent]) tab.want(query, 0)
  for (let i = 0; i < casesPerWorld; i++) {
    const who = rng.below(userIds.length)
    const [object, tab] = [objects[who], tabs[who]]
    if (!object || !tab) throw new Error('no user was picked')
    const { userId } = object
    const what = `seed ${seed}, case ${i}`
    for (let writes = rng.below(4); writes > 0; writes--) {
      write(rng, d1, userId)
      if (rng.chance(0.5)) await object.object.awake().notify()
      pass(rng.pick([5, 900, 2000, 40_000]))
    }
    await object.settled()
    const mood = rng.pick(moods)
    met.add(mood)
    kv.mood = mood
    const threadId = rng.chance(0.5) ? rng.pick([...d1.all<{ id: string }>('select id from thread'), { id: 'none' }]).id : null
    const { page, source } = await firstPageFor(
      { DB: d1.binding(), FIRST_PAGES: kv.namespace },
      { details: sessionOf(userId) },
      threadId,
      nowMs,
    )
    checkOwner(page, userId, `${what}, ${mood}, from ${source}`)
    if (['absent', 'refuses to read', 'a day old', "somebody else's", 'cut off', 'of another version', 'no JSON'].includes(mood))
      expect(source, `${what}, ${mood}`).toBe('d1')
    if (source === 'd1') expect(shown(new Tab('g', 'c'), page), what).toEqual(listed(d1, userId))
    await openPage(object, tab)
    // After the first poke the cached page is not used: the rows are the browser's own and equal the database's.
    expect(shown(tab, null), `${what}, ${mood}, after one poke`).toEqual(listed(d1, userId))
    pass(1500)
    kv.mood = mood === 'refuses to write' ? mood : 'fresh'
    // The object has pulled. Its next write to KV excludes every deleted thread.
    write(rng, d1, userId)
    await object.object.awake().notify()
    await object.settled()
    receiveAll(tab)
    kv.mood = 'fresh'
    const text = await kv.get(firstPageKey(userId, `${userId}-session`))
    const cachedPage = mood === 'refuses to write' || text === null ? null : parseCachedFirstPage(text, userId, nowMs)
    if (cachedPage)
      expect(
        cachedPage.rows.threads.map(({ id }) => id),
        `${what}, ${mood}, next cached page`,
      ).toEqual(listed(d1, userId))
    expect(shown(tab, null), `${what}, ${mood}, at the end`).toEqual(listed(d1, userId))
    await closePage(object, tab)
    pass(rng.pick([2000, 70_000]))
  }
}

test(`[N1] [N5] [N6] ${cases} first pages from a faulty KV`, async () => {
  const met = new Set<Mood>()
  for (let world = 0; world < cases / casesPerWorld; world++) await sweep(firstSeed + world, met)
  expect(met).toEqual(new Set(moods))
})
