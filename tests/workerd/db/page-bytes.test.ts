// The size of one D1 response while a user's rows are read, by the feed or by an import: limited by rows and by the bytes of long values.
// Nothing is skipped, and a row longer than a page is read as well. Rules: worker/sync/SPEC.md, F1 and F3.
import { describe, expect, test } from 'vitest'
import { feedStatement, type Position, pageBytes, pageRows, readFeed } from '../../../worker/db/feed.ts'
import { newId } from '../../../worker/db/new-id.ts'
import { firstScreenStatements, importStatement, readFirstScreen, readImport } from '../../../worker/db/user-import.ts'
import { feedEnd, insert, threadRow } from '../../support/rows.ts'
import { env } from '../bindings.ts'

const { DB } = env
const longest = 1_800_000
/** In addition to its message, in JSON. */
const rowOverhead = 500

/** Two-byte characters: bytes are limited, not characters. */
const messageOf = (bytes: number): string => {
  const text = JSON.stringify({ parts: 'é'.repeat(Math.floor(bytes / 2) - 10) })
  return text.replace('"parts"', `"${'p'.repeat(5 + bytes - new TextEncoder().encode(text).length)}"`)
}

/** Messages of this many bytes each, in the order of their ids. */
async function userWith(
  sizes: readonly number[],
): Promise<{ readonly userId: string; readonly ids: readonly string[]; readonly since: Position }> {
  const userId = newId()
  const thread = threadRow(userId)
  await insert(DB, 'thread', thread)
  const since = { seq: await feedEnd(DB, 'contentChange'), atMs: null }
  const ids = sizes.map((_, i) => `${userId}-${String(i).padStart(4, '0')}`)
  const sql = 'insert into message (id, threadId, userId, message, createdAt) values (?, ?, ?, ?, ?)'
  for (const [i, size] of sizes.entries())
    await DB.prepare(sql)
      .bind(ids[i] ?? '', String(thread.id), userId, messageOf(size), i)
      .run()
  return { userId, ids, since }
}

const sizeOf = (rows: readonly { readonly row: unknown }[]): number =>
  new TextEncoder().encode(JSON.stringify(rows.map(({ row }) => row))).length

type Page = readonly { readonly id: { readonly id: string }; readonly row: unknown }[]

async function feedPages(userId: string, since: Position): Promise<readonly Page[]> {
  const pages: Page[] = []
  for (let at = since; ; ) {
    const found = await feedStatement(DB, 'content', userId, at).all()
    const { changes, watermark, isLast } = readFeed(found, at)
    pages.push(changes)
    if (isLast) return pages
    at = watermark
  }
}

async function importPages(userId: string): Promise<readonly Page[]> {
  const pages: Page[] = []
  for (let after = ''; ; ) {
    const cursor = { feed: 'content', table: 'message', after } as const
    const { rows, last } = readImport(cursor, await importStatement(DB, cursor, userId).all())
    pages.push(rows)
    if (last === null) return pages
    after = last
  }
}

const histories: readonly (readonly [what: string, sizes: readonly number[], pages: number])[] = [
  ['nothing long', Array.from({ length: 30 }, () => 300), 1],
  ['thirty of 45 KB: six of them fill a page', Array.from({ length: 30 }, () => 45_000), 6],
  ['what fills a page to the byte, and nothing behind it', [pageBytes], 2],
  ['one that is longer than several pages, between short ones', [300, 300, longest, 300, 300], 2],
  ['nothing but such', [longest, longest, longest], 4],
]

describe.each([
  ['[A1] the feed', ({ userId, since }: Awaited<ReturnType<typeof userWith>>) => feedPages(userId, since)],
  ['[A2] an import', ({ userId }: Awaited<ReturnType<typeof userWith>>) => importPages(userId)],
] as const)('%s', (_name, read) => {
  test.each(histories)('%s', async (_what, sizes, pages) => {
    const user = await userWith(sizes)
    const found = await read(user)
    expect(found.flatMap((page) => page.map(({ id }) => id.id))).toEqual(user.ids)
    expect(found).toHaveLength(pages)
    for (const page of found) {
      expect(page.length).toBeLessThanOrEqual(pageRows)
      // Without its last row it is below the limit: a reader holds at most a page and a row.
      expect(sizeOf(page.slice(0, -1))).toBeLessThan(pageBytes + page.length * rowOverhead)
    }
  })
})

test('[A1] a page of the feed reads the same number of D1 rows whatever the backlog', async () => {
  const rowsRead = async (backlog: number) => {
    const [userId, since] = [newId(), { seq: await feedEnd(DB, 'contentChange'), atMs: null }]
    await DB.prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
       insert into contentChange (scope, tbl, rowId, op) select ?1, 'thread', 'thread-' || (i % 500), 'u' from n`,
    )
      .bind(`user:${userId}`, backlog)
      .run()
    const page = await feedStatement(DB, 'content', userId, since).all()
    expect(readFeed(page, since)).toMatchObject({ isLast: false, changes: { length: pageRows } })
    return page.meta.rows_read
  }
  const ofFew = await rowsRead(pageRows)
  expect(await rowsRead(25 * pageRows)).toBe(ofFew)
})

test('[A2] the first screen reads the ends of threads, however long they are', async () => {
  const rowsRead = async (messages: number) => {
    const { userId } = await userWith(Array.from({ length: messages }, () => 100))
    const results = await DB.batch(firstScreenStatements(DB, userId))
    return results.reduce((sum, { meta }) => sum + meta.rows_read, 0)
  }
  const ofFew = await rowsRead(30)
  expect(ofFew).toBeGreaterThan(20)
  // The count may differ by a row at the end of an index range.
  expect(await rowsRead(300)).toBeLessThan(2 * ofFew)
})

test('[A2] the first screen leaves long values to later pages', async () => {
  const { userId, ids } = await userWith([...Array.from({ length: 15 }, () => 30_000), longest, ...Array.from({ length: 3 }, () => 30_000)])
  const screen = readFirstScreen(await DB.batch(firstScreenStatements(DB, userId)))
  expect(
    screen
      .filter(({ table }) => table === 'message')
      .map(({ id }) => id.id)
      .sort(),
  ).toEqual(ids.filter((_, i) => i !== 15))
})
