/**
 * Imports all rows of one user, in pages of every table in id order. An import continues after the last id. A row of the replica within the
 * id range of a page but not in the page was deleted.
 */
import { threadPageSize } from '../contract/limits.ts'
import { preloadedThreads } from '../contract/preload-limits.ts'
import type { TableName } from '../contract/schema.ts'
import { type FeedChange, isWithinPage, longColumns, pageBytes, pageRows } from './feed.ts'
import { type FeedName, feeds, isVisibleSql, tablesOf } from './feed-tables.ts'
import { decodeRow, rowSql } from './row-json.ts'

/** `after`: the last id read, initially ''. With an organization, only its rows are read. */
export type ImportCursor = {
  readonly feed: FeedName
  readonly table: TableName
  readonly after: string
  readonly organizationId?: string
}

export type ImportPage = {
  readonly table: TableName
  readonly rows: readonly FeedChange[]
  /** The page covers the ids after `after` up to `last`. Null: up to the end. */
  readonly after: string
  readonly last: string | null
}

export const importStart: readonly ImportCursor[] = (['content', 'directory'] as const).flatMap((feed) =>
  tablesOf(feed).map(([table]) => ({ feed, table, after: '' })),
)

/**
 * Of the cursors of an import, those that are read first. The lists of the page are complete when their tables are, and tables with long columns
 * take most of the time.
 */
export function readFirst(cursors: readonly ImportCursor[]): readonly ImportCursor[] {
  const short = cursors.filter(({ table }) => longColumns[table] === undefined)
  return short.length > 0 ? short : cursors
}

/** All rows of one organization. A user who is not a member gets none. */
export const organizationStart = (organizationId: string): readonly ImportCursor[] =>
  organizationTables.map(([table]) => ({ feed: 'directory', table, after: '', organizationId }))

const organizationTables = tablesOf('directory').filter(([, { scope }]) => scope === 'org')

/** Conditions on the rows of one organization, whose id is bound, by table. */
export const organizationRows: readonly (readonly [TableName, string])[] = organizationTables.map(([table, { where }]) => [
  table,
  where((column) => `${column} = ?`),
])

/** More than a page of the feed, because nothing else is read; `pageBytes` bounds tables with long columns. */
const importRows = 5 * pageRows

export function importStatement(db: D1Database, { feed, table, after, organizationId }: ImportCursor, userId: string): D1PreparedStatement {
  const scoped = feeds[feed].tables[table]
  if (!scoped) throw new Error(`${table} is not a table of the ${feed}`)
  const visible = `${isVisibleSql(scoped, '?1')} and ?1 is not null`
  if (organizationId !== undefined)
    return db.prepare(pageSql(table, `${visible} and ${scoped.where((column) => `${column} = ?3`)}`)).bind(userId, after, organizationId)
  const long = longColumns[table]
  return db.prepare(long ? longPageSql(table, long, visible) : pageSql(table, visible)).bind(userId, after)
}

const pageSql = (table: TableName, ownerCondition: string): string =>
  `select id, 0 n, 0 upTo, ${rowSql(table)} content from ${table} where ${ownerCondition} and id > ?2 order by id limit ${importRows}`

/** Steps from id to id up to the row that fills the page, so that no further rows are read. */
const longPageSql = (table: TableName, long: string, ownerCondition: string): string =>
  `with recursive page (id, n, upTo) as (
     select ?2, 0, 0
     union all
     select ${table}.id, n + 1, upTo + octet_length(${table}.${long})
     from page join ${table} on ${table}.id = (select min(id) from ${table} where ${ownerCondition} and id > page.id)
     where n < ${importRows} and upTo < ${pageBytes}
   )
   select ${table}.id, n, upTo, ${rowSql(table)} content from page join ${table} on ${table}.id = page.id where n > 0`

export function readImport({ table, after }: ImportCursor, result: D1Result | undefined): ImportPage {
  const found = foundIn(result).toSorted((a, b) => a.n - b.n)
  const last = found.length < importRows && isWithinPage(found) ? null : (found.at(-1)?.id ?? null)
  return { table, rows: changesOf(table, found), after, last }
}

/** Chosen: covers the first screen of a thread. A larger message arrives with its import page. */
const endMessages = 20
const endMessageBytes = 32 * 1024

/**
 * Rows of the first screen, if the import needs several pages: the start of the thread list and the ends of recent threads. The cross join
 * keeps SQLite's planner from scanning all messages of the user.
 */
const firstScreen = [
  {
    table: 'thread',
    sql: `select id, ${rowSql('thread')} content from thread where userId = ?1 and deletedAt is null and expiresAt is null and archivedAt is null order by updatedAt desc limit ${threadPageSize}`,
  },
  {
    table: 'message',
    sql: `select id, ${rowSql('message')} content
      from (select id threadId from thread where userId = ?1 and deletedAt is null and expiresAt is null and archivedAt is null order by updatedAt desc limit ${preloadedThreads}) recent
      cross join message on message.id in (select id from message where threadId = recent.threadId order by createdAt desc limit ${endMessages})
      where userId = ?1 and octet_length(message.message) <= ${endMessageBytes}`,
  },
] as const

/** `readFirstScreen` takes the results in this order. */
export const firstScreenStatements = (db: D1Database, userId: string): D1PreparedStatement[] =>
  firstScreen.map(({ sql }) => db.prepare(sql).bind(userId))

export const readFirstScreen = (results: readonly D1Result[]): readonly FeedChange[] =>
  firstScreen.flatMap(({ table }, i) => changesOf(table, foundIn(results[i])))

type Found = { readonly id: string; readonly content: string; readonly n: number; readonly upTo: number }

const foundIn = (result: D1Result | undefined): readonly Found[] => (result?.results ?? []) as Found[]

const changesOf = (table: TableName, found: readonly Found[]): readonly FeedChange[] =>
  found.flatMap(({ id, content }) => {
    const row = decodeRow(table, content)
    return row ? [{ table, id: { id }, row }] : []
  })
