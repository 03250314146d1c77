/**
 * Reading all rows of one person, a page of every table at a time, in the order of their ids: whoever knows the last id goes on from there,
 * and a row of the replica that lies between two ids and was not in the page is gone.
 */
import { preloadedThreads, threadPageSize } from '../contract/limits.ts'
import type { TableName } from '../contract/schema.ts'
import { type FeedChange, type FeedName, feeds, pageRows, tablesOf } from './feed.ts'
import { decodeRow, rowSql } from './row-json.ts'

/** Whose turn it is: `after` is the last id read, '' at first. */
export type ImportCursor = { readonly feed: FeedName; readonly table: TableName; readonly after: string }

export type ImportPage = {
  readonly table: TableName
  readonly rows: readonly FeedChange[]
  /** The page covers the ids behind `after` up to `last`; null for all that are left. */
  readonly after: string
  readonly last: string | null
}

export const importStart: readonly ImportCursor[] = (['content', 'directory'] as const).flatMap((feed) =>
  tablesOf(feed).map(([table]) => ({ feed, table, after: '' })),
)

const importRows = (table: TableName) => (table === 'message' || table === 'queuedMessage' ? pageRows : 5 * pageRows)

export function importStatement(db: D1Database, { feed, table, after }: ImportCursor, userId: string): D1PreparedStatement {
  return db
    .prepare(
      `select id, ${rowSql(table)} content from ${table} where ${feeds[feed].tables[table]} and ?1 is not null and id > ?2
       order by id limit ${importRows(table)}`,
    )
    .bind(userId, after)
}

export function readImport({ table, after }: ImportCursor, result: D1Result | undefined): ImportPage {
  const found = foundIn(result)
  const last = found.length < importRows(table) ? null : (found.at(-1)?.id ?? null)
  return { table, rows: changesOf(table, found), after, last }
}

/** Ours: the end of a thread that a screen shows before anybody scrolls. */
const endMessages = 20

/** What the first screen shows, when the first pages are not everything: the list's beginning, and the ends of the threads used last. */
const firstScreen = [
  {
    table: 'thread',
    sql: `select id, ${rowSql('thread')} content from thread where userId = ?1 and deletedAt is null order by updatedAt desc limit ${threadPageSize}`,
  },
  {
    table: 'message',
    sql: `select id, ${rowSql('message')} content
      from (select id threadId from thread where userId = ?1 and deletedAt is null order by updatedAt desc limit ${preloadedThreads}) recent
      join message on message.id in (select id from message where threadId = recent.threadId order by createdAt desc limit ${endMessages})
      where userId = ?1`,
  },
] as const

/** Their results go to `readFirstScreen` in this order. */
export const firstScreenStatements = (db: D1Database, userId: string): D1PreparedStatement[] =>
  firstScreen.map(({ sql }) => db.prepare(sql).bind(userId))

export const readFirstScreen = (results: readonly D1Result[]): readonly FeedChange[] =>
  firstScreen.flatMap(({ table }, i) => changesOf(table, foundIn(results[i])))

type Found = { readonly id: string; readonly content: string }

const foundIn = (result: D1Result | undefined): readonly Found[] => (result?.results ?? []) as Found[]

const changesOf = (table: TableName, found: readonly Found[]): readonly FeedChange[] =>
  found.flatMap(({ id, content }) => {
    const row = decodeRow(table, content)
    return row ? [{ table, id: { id }, row }] : []
  })
