/** Linking a guest to an account whose content is in another database: interrupted at every step, repeated, in parallel, refused. */
import { beforeAll, describe, expect, test } from 'vitest'
import { dayOf } from '../../../worker/contract/access.ts'
import { linkGuest } from '../../../worker/db/account-linking.ts'
import { beginAccountDeletion, finishLinkings } from '../../../worker/db/delete-user.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { contentDb } from '../../../worker/db/shards.ts'
import { endTurn, type TurnEnding } from '../../../worker/db/turn-endings.ts'
import { ensureUserRows } from '../../../worker/db/user-rows.ts'
import { auditFindings } from '../../support/credit-audit.ts'
import { interrupted } from '../../support/interrupted.ts'
import { createNodeD1, type NodeD1 } from '../../support/node-d1.ts'
import {
  approvalRow,
  generationRow,
  insert,
  ledgerRow,
  messageRow,
  queuedRow,
  type Row,
  requestRow,
  summaryRow,
  threadRow,
  userRow,
} from '../../support/rows.ts'
import { insertWriting, memoryRow } from '../../support/rows-of-writing.ts'

const nowMs = Date.now()
const today = dayOf(nowMs)
const limits = { maxBytes: 1_000_000, maxRows: 1000, maxFileBytes: 1_000_000 }

let DB: NodeD1
let CONTENT_DB_1: NodeD1
let CONTENT_DB_2: NodeD1
let env: { readonly DB: NodeD1; readonly CONTENT_DB_1: NodeD1; readonly CONTENT_DB_2: NodeD1 }

beforeAll(() => {
  ;[DB, CONTENT_DB_1, CONTENT_DB_2] = [createNodeD1(), createNodeD1(), createNodeD1()]
  env = { DB, CONTENT_DB_1, CONTENT_DB_2 }
})

const all = async (db: D1Database, sql: string, ...values: (string | number)[]): Promise<Row[]> =>
  (
    await db
      .prepare(sql)
      .bind(...values)
      .all<Row>()
  ).results

type Pair = { readonly guestId: string; readonly accountId: string }

/** A guest of the first database and an account of the second one, each with its first rows. */
async function pairOf(accountId = `${newId()}-2`): Promise<Pair> {
  const guestId = newId()
  await insert(DB, 'user', userRow({ id: guestId, isAnonymous: 1 }))
  await insert(DB, 'user', userRow({ id: accountId }))
  await ensureUserRows(CONTENT_DB_1, guestId, { network: newId(), wide: [] })
  await ensureUserRows(contentDb(env, accountId), accountId)
  return { guestId, accountId }
}

const fileMessage = (fileId: string) =>
  JSON.stringify({
    id: 'm',
    role: 'user',
    parts: [{ type: 'file', url: `/api/files/${fileId}`, filename: 'a.png', mediaType: 'image/png', sizeBytes: 10 }],
  })

type Guest = Pair & { readonly threadId: string; readonly openId: string; readonly rows: readonly Row[] }

/** Rows in every table with an owner: more than one page of messages, a hidden file, an ended and a running turn. */
async function filled(pair: Pair): Promise<Guest> {
  const { guestId } = pair
  const db = CONTENT_DB_1
  const [thread, hidden] = [threadRow(guestId), threadRow(guestId, { deletedAt: 5 })]
  const threadId = String(thread.id)
  for (const row of [thread, hidden]) await insert(db, 'thread', row)
  const files = [newId(), newId()]
  for (const id of files)
    await insert(db, 'attachment', {
      ...{ id, userId: guestId, uploadId: newId(), name: 'a.png', mediaType: 'image/png', sizeBytes: 10 },
      ...{ etag: '"a"', storedAt: 1, unusedSince: 1, createdAt: 1 },
    })
  const shown = { id: files[0], name: 'a.png', mediaType: 'image/png', sizeBytes: 10 }
  await insert(db, 'project', { id: newId(), userId: guestId, name: 'Tea', files: JSON.stringify([shown]), createdAt: 1, updatedAt: 1 })
  await insertWriting(db, guestId, threadId)
  const asking = messageRow(guestId, threadId, { message: fileMessage(String(files[0])) })
  await insert(db, 'message', asking)
  await insert(db, 'approval', approvalRow(guestId, threadId, String(asking.id), { state: 'allowed', isForThread: 1 }))
  await insert(db, 'message', messageRow(guestId, String(hidden.id), { message: fileMessage(String(files[1])) }))
  await db
    .prepare('update attachmentUse set hiddenSince = 5 where attachmentId = ?')
    .bind(files[0] ?? '')
    .run()
  for (let i = 0; i < 60; i++) await insert(db, 'message', messageRow(guestId, threadId))
  const source = messageRow(guestId, threadId, { memoryBy: newId(), memoryDay: today, memoryAt: 5 })
  await insert(db, 'message', source)
  await insert(db, 'memory', memoryRow(guestId, threadId, String(source.id)))
  await insert(db, 'memory', memoryRow(guestId, newId(), newId(), { editedAt: 5 }))
  const covered = await db.prepare('select id from message where threadId = ? limit 1').bind(threadId).first<string>('id')
  await insert(db, 'summary', summaryRow(guestId, threadId, String(covered)))
  const queued = queuedRow(guestId, threadId, { hold: 'guest_limit_reached' })
  await insert(db, 'queuedMessage', queued)
  const sent = queuedRow(guestId, threadId)
  await insert(db, 'queuedMessage', sent)
  const ended = generationRow(guestId, threadId, { credits: 3, day: today, queuedId: String(sent.id) })
  await insert(db, 'generation', ended)
  await insert(db, 'creditLedger', ledgerRow(guestId, String(ended.id), 'reserve', { credits: 18, day: today, dailyLimit: 20 }))
  await db.batch([
    db.prepare('delete from queuedMessage where id = ?').bind(sent.id),
    db.prepare("update generation set status = 'completed', endedAt = 2 where id = ?").bind(ended.id),
  ])
  await insert(db, 'creditLedger', ledgerRow(guestId, String(ended.id), 'release', { credits: -18, day: today }))
  await insert(db, 'modelRequest', requestRow(guestId, String(ended.id), { day: today }))
  const open = generationRow(guestId, threadId, { credits: 4, day: today })
  await insert(db, 'generation', open)
  // Both reservations together exceed the limit: they fit only in their original order.
  await insert(db, 'creditLedger', ledgerRow(guestId, String(open.id), 'reserve', { credits: 4, day: today, dailyLimit: 20 }))
  await db.prepare("update thread set status = 'streaming', streamId = ? where id = ?").bind(open.id, threadId).run()
  await db.prepare("update setting set theme = 'paper', nickname = 'Ada' where userId = ?").bind(guestId).run()
  await db.prepare('update contentUse set forks = 3, forkDay = ? where userId = ?').bind(today, guestId).run()
  return { ...pair, threadId, openId: String(open.id), rows: await contentOf(db, guestId) }
}

const moved = [
  ...(['thread', 'project', 'message', 'queuedMessage', 'summary', 'prompt', 'draft', 'memory', 'approval'] as const),
  ...(['toolServer', 'toolServerSecret'] as const),
  ...(['generation', 'creditLedger', 'modelRequest', 'attachment'] as const),
] as const

/** The rows of a user as they must arrive: without the owner and without what linking changes on purpose. */
async function contentOf(db: D1Database, userId: string): Promise<Row[]> {
  const tables = moved.map(
    async (table) => await all(db, `select '${table}' "table", * from ${table} where userId = ? order by id`, userId),
  )
  const uses = all(
    db,
    `select 'attachmentUse' "table", attachmentUse.* from attachmentUse join attachment on attachment.id = attachmentId
      where attachment.userId = ? order by attachmentId, holderId`,
    userId,
  )
  const rows = (await Promise.all([...tables, uses])).flat()
  return rows.map(({ userId: _, queuedId: __, hold: ___, ...row }) => row)
}

/** Tables of a database that name the user. */
async function tablesWith(db: D1Database, userId: string): Promise<string[]> {
  const tables = [...moved, 'setting', 'usage', 'contentUse', 'dailyModelUse', 'dailyUse', 'clientProgress', 'guestNetwork']
  const counts = await Promise.all(tables.map((table) => all(db, `select 1 from ${table} where userId = ? limit 1`, userId)))
  return tables.filter((_, i) => counts[i]?.length === 1)
}

async function expectLinked({ guestId, accountId, rows }: Guest): Promise<void> {
  expect(await contentOf(CONTENT_DB_2, accountId)).toEqual(rows)
  for (const db of [CONTENT_DB_1, CONTENT_DB_2]) expect(await tablesWith(db, guestId)).toEqual([])
  expect(await tablesWith(CONTENT_DB_1, accountId)).toEqual([])
  expect(await all(CONTENT_DB_2, 'select theme, nickname from setting where userId = ?', accountId)).toEqual([
    { theme: 'paper', nickname: 'Ada' },
  ])
  expect(await all(CONTENT_DB_2, 'select credits, day, forks from usage where userId = ?', accountId)).toEqual([
    { credits: 4, day: today, forks: 3 },
  ])
  expect(await all(CONTENT_DB_2, 'select hold from queuedMessage where userId = ?', accountId)).toEqual([{ hold: null }])
  expect(await all(CONTENT_DB_2, 'select bytes, rows from contentUse where userId = ?', accountId)).toEqual(
    await all(
      CONTENT_DB_2,
      `select sum(bytes) bytes, sum(rows) rows from (
        select sum(length(cast(title as blob))) bytes, count(*) rows from thread where userId = ?1
        union all select sum(length(cast(message as blob))), count(*) from message where userId = ?1
        union all select sum(length(name || text)), count(*) from prompt where userId = ?1
        union all select sum(length(text)), 0 from draft where userId = ?1
        union all select sum(length(path || text)), count(*) from memory where userId = ?1
        union all select sum(length(text)), count(*) from summary where userId = ?1
        union all select sum(length(description || input)), count(*) from approval where userId = ?1
        union all select sum(length(name || url || tools)), count(*) from toolServer where userId = ?1
        union all select sum(length(cast(text as blob))), count(*) from queuedMessage where userId = ?1)`,
      accountId,
    ),
  )
  expect(await all(DB, 'select id from user where id = ?', guestId)).toEqual([])
  for (const db of [CONTENT_DB_1, CONTENT_DB_2])
    expect(await all(db, 'select guestId from linking where guestId = ? and finishedAt is null', guestId)).toEqual([])
  for (const db of [CONTENT_DB_1, CONTENT_DB_2])
    expect(await auditFindings('usage', (queries) => Promise.all(queries.map((sql) => all(db, sql))))).toEqual([])
}

describe('to an account in another database', () => {
  test('moves everything, and the credits that were used count once', async () => {
    const guest = await filled(await pairOf())
    expect(await linkGuest(env, guest, nowMs, limits)).toBe(true)
    await expectLinked(guest)
    await linkGuest(env, guest, nowMs, limits)
    await expectLinked(guest)
  })

  test('is completed by the next attempt or by the scheduled job, from any interrupted step', async () => {
    let steps = 0
    for (let isInterrupted = true; isInterrupted; steps++) {
      const guest = await filled(await pairOf())
      isInterrupted = await interrupted(Object.values(env), steps, () => linkGuest(env, guest, nowMs, limits))
      const marked = await all(CONTENT_DB_1, 'select guestId from linking where guestId = ?', guest.guestId)
      const byJob = marked.length > 0 && steps % 2 === 0
      if (byJob) expect(await finishLinkings(env, nowMs)).toBe(isInterrupted ? 1 : 0)
      else await linkGuest(env, guest, nowMs, limits)
      await expectLinked(guest)
    }
    expect(steps).toBeGreaterThan(100)
  })

  test('gives the same result for attempts in parallel', async () => {
    const guest = await filled(await pairOf())
    await Promise.all([1, 2, 3].map(() => linkGuest(env, guest, nowMs, limits)))
    await expectLinked(guest)
  })

  test('the first of two accounts gets everything', async () => {
    const guest = await filled(await pairOf())
    const other = (await pairOf()).accountId
    const local = (await pairOf(newId())).accountId
    expect(await interrupted(Object.values(env), 20, () => linkGuest(env, guest, nowMs, limits))).toBe(true)
    await linkGuest(env, { ...guest, accountId: other }, nowMs, limits)
    await linkGuest(env, { ...guest, accountId: local }, nowMs, limits)
    await finishLinkings(env, nowMs)
    await expectLinked(guest)
    expect(await contentOf(CONTENT_DB_2, other)).toEqual([])
    expect(await contentOf(CONTENT_DB_1, local)).toEqual([])
  })

  test('refuses an account without space before anything is moved, and never refuses a guest without content', async () => {
    const guest = await filled(await pairOf())
    await insert(CONTENT_DB_2, 'thread', threadRow(guest.accountId))
    const full = { maxBytes: 1, maxRows: 0, maxFileBytes: 0 }
    await expect(linkGuest(env, guest, nowMs, full)).rejects.toThrow('account_full')
    expect(await contentOf(CONTENT_DB_1, guest.guestId)).toEqual(guest.rows)
    for (const db of [CONTENT_DB_1, CONTENT_DB_2])
      expect(await all(db, "select * from linking where guestId like ? || '%'", guest.guestId)).toEqual([])
    const empty = await pairOf()
    await insert(CONTENT_DB_2, 'thread', threadRow(empty.accountId))
    await linkGuest(env, empty, nowMs, full)
    expect(await tablesWith(CONTENT_DB_1, empty.guestId)).toEqual([])
  })

  test('refuses writes of the guest as soon as rows may have been copied', async () => {
    const guest = await filled(await pairOf())
    expect(await interrupted(Object.values(env), 20, () => linkGuest(env, guest, nowMs, limits))).toBe(true)
    const { guestId, threadId, accountId } = guest
    const file = { name: 'a', mediaType: 'text/plain', sizeBytes: 1, uploadId: newId(), createdAt: 1 }
    const refused: readonly (readonly [string, Row])[] = [
      ['thread', threadRow(guestId)],
      ['queuedMessage', queuedRow(guestId, threadId)],
      ['generation', generationRow(guestId, threadId, { status: 'completed' })],
      ['attachment', { ...file, id: newId(), userId: guestId }],
      ['attachment', { ...file, id: newId(), userId: accountId }],
      ['clientProgress', { clientGroupID: newId(), clientID: newId(), userId: guestId, updatedAt: 1 }],
    ]
    for (const [table, row] of refused) await expect(insert(CONTENT_DB_1, table, row), table).rejects.toThrow('guest_linked')
    await finishLinkings(env, nowMs)
    await expectLinked(guest)
  })

  test('leaves the rows to the guest if the account is deleted before they belong to it', async () => {
    const guest = await filled(await pairOf())
    expect(await interrupted(Object.values(env), 20, () => linkGuest(env, guest, nowMs, limits))).toBe(true)
    await beginAccountDeletion(env, guest.accountId, nowMs)
    expect(await finishLinkings(env, nowMs)).toBe(0)
    await DB.prepare('delete from user where id = ?').bind(guest.accountId).run()
    expect(await finishLinkings(env, nowMs)).toBe(0)
    expect(await finishLinkings(env, nowMs + 60 * 60_000)).toBe(1)
    expect(await contentOf(CONTENT_DB_1, guest.guestId)).toEqual(guest.rows)
    expect(await tablesWith(CONTENT_DB_2, guest.guestId)).toEqual([])
    await insert(CONTENT_DB_1, 'thread', threadRow(guest.guestId))
  })
})

describe('a turn that runs during the linking', () => {
  const endingOf = ({ guestId, threadId, openId }: Guest): TurnEnding => ({
    ...{ generationId: openId, userId: guestId, threadId, parentId: newId(), title: null, requests: [], endedAtMs: nowMs },
    ...{ charged: true, credits: 4, keepsSearch: false, keepsResearch: false },
    answer: {
      id: openId,
      role: 'assistant',
      parts: [{ type: 'text', text: 'yes' }],
      metadata: { ending: 'completed', modelId: 'kimi-k2' },
    } as unknown as TurnEnding['answer'],
  })

  test('ends once, for the account, in the account’s database', async () => {
    const guest = await filled(await pairOf())
    await linkGuest(env, guest, nowMs, limits)
    expect(await endTurn(env, endingOf(guest))).toMatchObject({ userId: guest.accountId })
    expect(await endTurn(env, endingOf(guest))).toBeNull()
    const ledger = 'select kind, credits from creditLedger where generationId = ? order by kind'
    expect(await all(CONTENT_DB_2, ledger, guest.openId)).toEqual([
      { kind: 'reserve', credits: 4 },
      { kind: 'settle', credits: 0 },
    ])
    expect(await all(CONTENT_DB_1, ledger, guest.openId)).toEqual([])
    expect(await all(CONTENT_DB_2, 'select userId from message where id = ?', guest.openId)).toEqual([{ userId: guest.accountId }])
  })

  test('waits while its rows are being moved, and is not lost', async () => {
    for (const step of [5, 20, 60, 90]) {
      const guest = await filled(await pairOf())
      expect(await interrupted(Object.values(env), step, () => linkGuest(env, guest, nowMs, limits))).toBe(true)
      const isMarked = (await all(CONTENT_DB_1, 'select 1 from linking where guestId = ?', guest.guestId)).length > 0
      if (!isMarked) continue
      await expect(endTurn(env, endingOf(guest))).rejects.toThrow('being moved')
      await finishLinkings(env, nowMs)
      await expectLinked(guest)
      expect(await endTurn(env, endingOf(guest))).toMatchObject({ userId: guest.accountId })
    }
  })
})
