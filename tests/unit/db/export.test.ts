// Pages of an export: bounded, with a pause between two of them, and complete.
import { expect, test } from 'vitest'
import { exportPageBytes, exportPageRows } from '../../../worker/contract/limits.ts'
import { exportOf } from '../../../worker/db/export.ts'
import { createNodeD1 } from '../../support/node-d1.ts'
import { insertStatement, messageRow, threadRow, userRow } from '../../support/rows.ts'

const DB = createNodeD1()
const insertAll = (table: string, rows: readonly ReturnType<typeof threadRow>[]) =>
  DB.batch(rows.map((row) => insertStatement(DB, table, row)))

async function exported(userId: string) {
  const parts: string[] = []
  const events: string[] = []
  const statements: string[] = []
  DB.onStatement = (sql) => {
    statements.push(sql)
    events.push('page')
  }
  const pause = async () => void events.push('pause')
  for await (const part of exportOf({ DB }, userId, 1, pause)) parts.push(part)
  DB.onStatement = () => undefined
  return { parts, events, statements, file: JSON.parse(parts.join('')) as { readonly [list: string]: readonly Record<string, unknown>[] } }
}

async function newUser(messages: readonly string[]): Promise<string> {
  const user = userRow()
  const userId = String(user.id)
  const thread = threadRow(userId)
  await insertAll('user', [user])
  await insertAll('thread', [thread])
  const message = (text: string) => JSON.stringify({ id: 'm', role: 'user', parts: [{ type: 'text', text }] })
  await insertAll(
    'message',
    messages.map((text) => messageRow(userId, String(thread.id), { message: message(text) })),
  )
  return userId
}

test('pauses between every two pages', async () => {
  const { events } = await exported(await newUser([]))
  expect(events.filter((event) => event === 'page').length).toBeGreaterThan(10)
  expect(events).toEqual(events.map((_, i) => (i % 2 === 0 ? 'page' : 'pause')))
})

test.each([
  ['rows', exportPageRows * 2, 10, 3],
  ['bytes', 40, 50_000, 7],
  ['one row', 3, exportPageBytes + 1, 4],
])('bounds a page by %s and exports every message once', async (_bound, count, chars, pages) => {
  const userId = await newUser(Array.from({ length: count }, (_, i) => `${i} `.padEnd(chars, 'x')))
  await newUser(['of another user'])
  const { parts, statements, file } = await exported(userId)
  expect(statements.filter((sql) => sql.includes(' "message" '))).toHaveLength(pages)
  expect(new Set(file.messages?.map(({ id }) => id)).size).toBe(count)
  expect(file.messages).toHaveLength(count)
  // The row that fills a page is part of it.
  for (const part of parts) expect(part.length).toBeLessThan(exportPageBytes + Math.max(chars, 2000) + 50_000)
})

test('credits follow day and id over several pages', async () => {
  const userId = await newUser([])
  const count = exportPageRows * 2 + 1
  await DB.batch(
    Array.from({ length: count }, (_, i) =>
      DB.prepare(
        `insert into creditLedger (id, userId, generationId, kind, credits, search, research, day, dailyLimit, searchLimit, researchLimit, createdAt)
         values (?, ?, ?, 'reserve', 0, 0, 0, ?, 1000000, 1000000, 1000000, 1)`,
      ).bind(`entry-${i}`, userId, `generation-${i}`, 20_000 + Math.floor(i / 150)),
    ),
  )
  const { file } = await exported(userId)
  expect(new Set(file.credits?.map(({ generationId }) => generationId)).size).toBe(count)
})

test('pages are read through an index', async () => {
  const { statements } = await exported(await newUser(['one']))
  for (const sql of statements) {
    const { results } = await DB.prepare(`explain query plan ${sql}`).all<{ detail: string }>()
    const scans = results.map(({ detail }) => detail).filter((detail) => /SCAN (?!CONSTANT|page$|\(subquery-)/.test(detail))
    expect(scans, sql).toEqual([])
  }
})
