// Checks at the end of a history: every page shows the database's rows, with no stale row and no row of another user. Every mutation was
// applied once and in order, or was refused without effect.

import { expect } from 'vitest'
import { threadPageSize } from '../../../worker/contract/limits.ts'
import { schema } from '../../../worker/contract/schema.ts'
import { firstPageKey, parseCachedFirstPage } from '../../../worker/db/first-page.ts'
import { resolveQuery } from '../../../worker/sync/state/live-queries.ts'
import { stateConfig } from '../../../worker/user-sync/config.ts'
import { evaluate } from '../../support/naive-evaluator.ts'
import type { Mutation, Tab, TabRow } from './tab.ts'
import { readTruth } from './truth.ts'
import type { SimUser, World } from './world.ts'

const personal = new Set(['thread', 'message', 'queuedMessage', 'setting', 'usage', 'userCustomer'])

type Shown = Pick<World, 'd1'> & { readonly users: readonly Pick<SimUser, 'userId' | 'tabs'>[] }

export function checkPages(world: Shown): void {
  const truth = readTruth(world.d1)
  const stored = new Map(
    Object.entries(truth).flatMap(([table, rows]) => rows.map((row) => [`${table}/${String(row.id)}` as string, row] as const)),
  )
  for (const user of world.users)
    for (const tab of user.tabs) {
      const who = `${user.userId} ${tab.clientID}`
      // Compares whole values, because one assertion costs more than the comparison of a row.
      const wanted = [...tab.wanted.keys()]
      const missing = { desired: wanted.filter((hash) => !tab.desired.has(hash)), got: wanted.filter((hash) => !tab.got.has(hash)) }
      expect(missing, who).toEqual({ desired: [], got: [] })
      const storedRows = Object.fromEntries([...tab.rows.keys()].map((key) => [key, stored.get(key)]))
      expect(Object.fromEntries(tab.rows), who).toEqual(storedRows)
      const isForeign = (key: string, row: TabRow) => personal.has(key.split('/')[0] ?? '') && row.userId !== user.userId
      expect(
        [...tab.rows].filter(([key, row]) => isForeign(key, row)),
        who,
      ).toEqual([])
      checkViews(user, tab, truth, who)
    }
}

/** No query is desired for a page that no longer wants it. */
export function checkDesiredQueries({ users }: World): void {
  for (const { userId, tabs } of users)
    for (const { clientID, desired, wanted } of tabs)
      expect([...desired].sort(), `${userId} ${clientID}: desired`).toEqual([...wanted.keys()].sort())
}

function checkViews({ userId }: Pick<SimUser, 'userId'>, tab: Tab, truth: ReturnType<typeof readTruth>, who: string): void {
  const held: { [table: string]: TabRow[] } = {}
  for (const [key, row] of tab.rows) {
    const table = key.split('/')[0] ?? ''
    held[table] ??= []
    held[table].push(row)
  }
  for (const { query } of tab.wanted.values()) {
    const resolved = resolveQuery({ config: stateConfig }, query, userId)
    if ('error' in resolved) throw new Error(resolved.error.message)
    const { ast } = resolved.query
    // Rows of a page were decoded from JSON.
    expect(evaluate(ast, held as typeof truth, schema.tables), `${who}: ${query.name}`).toBe(evaluate(ast, truth, schema.tables))
  }
}

/** `mutations`: all that were made, by group. */
export function checkOnce({ d1, options: { isRestored } }: World, mutations: ReadonlyMap<string, readonly Mutation[]>): void {
  const marks = d1.all<{ mark: string }>('select mark from history').map(({ mark }) => mark)
  const refused = new Set(
    d1
      .all<{ clientID: string; mutationID: number }>('select * from refusals')
      .map(({ clientID, mutationID }) => `${clientID}:${mutationID}`),
  )
  const owned = (clientID: string, mutationID: number, args: unknown) => {
    const { threadId } = args as { threadId: string }
    const batch = 'select min(mutationID) from owned where clientID = ?1 and mutationID >= ?2'
    const sql = `select 1 from owned where clientID = ?1 and threadId = ?3 and mutationID = (${batch})`
    return d1.all(sql, clientID, mutationID, threadId).length > 0
  }
  for (const [groupID, made] of mutations) {
    const lastOf = new Map(
      d1
        .all<{ clientID: string; lastMutationID: number }>(
          'select clientID, lastMutationID from clientProgress where clientGroupID = ?',
          groupID,
        )
        .map(({ clientID, lastMutationID }) => [clientID, lastMutationID]),
    )
    const counted = new Map<string, number>()
    for (const { clientID, id, name, args } of made) {
      counted.set(clientID, id)
      const mark = markOf(name, args)
      if (!mark) continue
      const times = marks.filter((found) => found === mark).length
      // Another writer removed the thread between the last pull and the batch, for ever or for a while. Then there was nothing to rename,
      // and either order is correct.
      if (times === 0 && name === 'threads.rename' && !owned(clientID, id, args)) continue
      // After a restore, mutations that a client saw confirmed may be missing, but none may be applied twice.
      if (isRestored) expect(times, `${mark} ${name}`).toBeLessThanOrEqual(1)
      else expect(times, `${mark} ${name}`).toBe(refused.has(`${clientID}:${id}`) ? 0 : 1)
    }
    if (!isRestored) expect(Object.fromEntries(lastOf), groupID).toEqual(Object.fromEntries(counted))
  }
  // In the order of each client's mutations.
  const orders = Map.groupBy(
    marks.filter((mark) => mark.startsWith('mark:')).map((mark) => mark.split(':') as [string, string, string]),
    ([, clientID]) => clientID,
  )
  for (const [clientID, order] of orders) {
    const ids = order.map(([, , id]) => Number(id))
    expect(ids, clientID).toEqual(ids.toSorted((a, b) => a - b))
  }
}

export function checkOrders({ misdirected }: World): void {
  expect(misdirected, 'commands to another object than that of the turn').toEqual([])
}

/** The text that identifies this mutation, for mutations that write one. */
function markOf(name: string, args: unknown): string | null {
  const { nickname, title, messageId } = args as { nickname?: string; title?: string; messageId?: string }
  if (name === 'settings.update') return nickname ?? null
  if (name === 'threads.rename') return title ?? null
  return name === 'threads.send' ? (messageId ?? null) : null
}

export function checkLedger({ d1, users }: World): void {
  for (const { userId } of users) {
    const [usage] = d1.all<{ credits: number; day: number }>('select credits, day from usage where userId = ?', userId)
    const [ledger] = d1.all<{ sum: number | null }>(
      'select sum(credits) sum from creditLedger where userId = ? and day = ?',
      userId,
      usage?.day ?? 0,
    )
    expect(usage?.credits, `${userId}: credits`).toBe(ledger?.sum ?? 0)
  }
  expect(d1.all("select id, status from thread where status not in ('ready') and deletedAt is null")).toEqual([])
  expect(d1.all("select id from generation where status = 'open'")).toEqual([])
}

/**
 * No user writes faster than the limit, however often their object was evicted. The check replays a bucket: mutations applied since the
 * last check are charged to it. They were accepted between the object's last idle moment and now, and the earliest moment with enough
 * tokens leaves most for later. An object that lost its storage lost its bucket too.
 */
export function checkPace({ d1, limit, nowMs, options, users }: World): void {
  if (options.isRestored) return
  const perMs = limit.perSecond / 1000
  for (const user of users) {
    const [row] = d1.all<{ n: number | null }>('select sum(lastMutationID) n from clientProgress where userId = ?', user.userId)
    const applied = row?.n ?? 0
    const { tokens, atMs, seen } = user.pace
    const at = (ms: number) => Math.min(limit.burst, tokens + (ms - atMs) * perMs)
    const spent = applied - seen
    expect(at(nowMs) - spent, `${user.userId}: mutations beyond the limit`).toBeGreaterThan(-1)
    const paidAtMs = spent === 0 ? atMs : Math.min(nowMs, atMs + Math.max(0, spent - tokens) / perMs)
    user.pace = { tokens: at(paidAtMs) - spent, atMs: paidAtMs, seen: applied }
    if (user.questions.length > 0) continue
    const { tokens: left } = user.pace
    user.pace = { tokens: Math.min(limit.burst, left + (nowMs - paidAtMs) * perMs), atMs: nowMs, seen: applied }
  }
}

/** The cached first page equals the database's rows. */
export function checkFirstPages({ d1, kv, users, nowMs }: World): void {
  for (const { userId, sessionId } of users) {
    const text = kv.values.get(firstPageKey(userId, sessionId))
    const page = text === undefined ? null : parseCachedFirstPage(text, userId, nowMs)
    expect(page, `${userId}: first page`).not.toBeNull()
    const listed = 'select id, title from thread where userId = ? and deletedAt is null order by updatedAt desc, id limit ?'
    expect(
      page?.rows.threads.map(({ id, title }) => ({ id, title })),
      `${userId}: threads of the first page`,
    ).toEqual(d1.all(listed, userId, threadPageSize))
    const [setting] = d1.all('select nickname from setting where userId = ?', userId)
    expect({ nickname: page?.rows.settings?.nickname ?? null }, `${userId}: setting of the first page`).toEqual(setting)
  }
}
