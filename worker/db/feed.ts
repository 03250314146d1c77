/**
 * Reading the change feed: everything one person sees that changed behind a watermark, joined with the rows as they are now.
 * A row changed many times appears once. Rows come as the wire carries them. Reads are statements, so that a caller can put them
 * into the batch that wrote: what it wrote, and what triggers made of it, is then in the answer.
 */
import type { TableName } from '../contract/schema.ts'
import { decodeRow, type RecordRow, rowSql } from './row-json.ts'

/** How far each feed was read: `seq` of contentChange and of directoryChange. */
export type Watermarks = { readonly content: number; readonly directory: number }
export type FeedName = keyof Watermarks

/** `row` is null when it is gone, or no longer this person's to see. */
export type FeedChange = { readonly table: TableName; readonly id: { readonly id: string }; readonly row: RecordRow | null }

type FeedPage = {
  readonly changes: readonly FeedChange[]
  readonly watermark: number
  /** False when more is waiting behind `watermark`. */
  readonly isLast: boolean
  /** The feed was tidied beyond the reader's watermark: only a new import can make it whole. */
  readonly hasGap: boolean
}

/** Ours: rows per page. Messages may be long, said or queued, so that no page of them holds more. */
const pageRows = 200
const importRows = (table: TableName) => (table === 'message' || table === 'queuedMessage' ? pageRows : 5 * pageRows)

/** A row's owner, in SQL over the table's own columns; `?1` is the person. */
const ownedByUser = 'userId = ?1'
const inMyOrganizations = (column: string) => `${column} in (select organizationId from member where userId = ?1)`

const feeds: { readonly [Name in FeedName]: { readonly log: string; readonly tables: { readonly [Table in TableName]?: string } } } = {
  content: {
    log: 'contentChange',
    tables: { thread: ownedByUser, message: ownedByUser, queuedMessage: ownedByUser, setting: ownedByUser, usage: ownedByUser },
  },
  directory: {
    log: 'directoryChange',
    tables: {
      user: 'id = ?1',
      userCustomer: ownedByUser,
      model: 'true',
      organization: inMyOrganizations('id'),
      member: inMyOrganizations('organizationId'),
      organizationCustomer: inMyOrganizations('organizationId'),
    },
  },
}

const tablesOf = (feed: FeedName) => Object.entries(feeds[feed].tables) as [TableName, string][]

/** Two statements; their results go to `readFeed` in this order. */
export function feedStatements(db: D1Database, feed: FeedName, userId: string, watermark: number): D1PreparedStatement[] {
  return [db.prepare(boundsSql[feed]), db.prepare(pageSql[feed]).bind(userId, watermark)]
}

export function readFeed(bounds: D1Result | undefined, page: D1Result | undefined, watermark: number): FeedPage {
  const { first, last } = boundsOf(bounds)
  const rows = (page?.results ?? []) as { seq: number; tbl: TableName; rowId: string; content: string | null }[]
  const isLast = rows.length < pageRows
  return {
    changes: rows.map(({ tbl, rowId, content }) => ({
      table: tbl,
      id: { id: rowId },
      row: content === null ? null : decodeRow(tbl, content),
    })),
    watermark: isLast ? Math.max(last, watermark) : (rows.at(-1)?.seq ?? watermark),
    isLast,
    hasGap: first !== null && watermark < first - 1,
  }
}

/** Where a feed ends; read before the rows of an import, so that nothing falls between. */
export const feedEndStatement = (db: D1Database, feed: FeedName): D1PreparedStatement => db.prepare(boundsSql[feed])
export const readFeedEnd = (bounds: D1Result | undefined): number => boundsOf(bounds).last

/** Whose turn it is in an import: `after` is the last id read, '' at first. */
export type ImportCursor = { readonly feed: FeedName; readonly table: TableName; readonly after: string }

export const importStart: readonly ImportCursor[] = (['content', 'directory'] as const).flatMap((feed) =>
  tablesOf(feed).map(([table]) => ({ feed, table, after: '' })),
)

export function importStatement(db: D1Database, { feed, table, after }: ImportCursor, userId: string): D1PreparedStatement {
  return db
    .prepare(
      `select id, ${rowSql(table)} content from ${table} where ${feeds[feed].tables[table]} and ?1 is not null and id > ?2
       order by id limit ${importRows(table)}`,
    )
    .bind(userId, after)
}

export function readImport(
  cursor: ImportCursor,
  result: D1Result | undefined,
): { readonly rows: FeedChange[]; readonly next: ImportCursor | null } {
  const found = (result?.results ?? []) as { id: string; content: string }[]
  const after = found.at(-1)?.id
  return {
    rows: found.flatMap(({ id, content }) => {
      const row = decodeRow(cursor.table, content)
      return row ? [{ table: cursor.table, id: { id }, row }] : []
    }),
    next: found.length < importRows(cursor.table) || after === undefined ? null : { ...cursor, after },
  }
}

function boundsOf(bounds: D1Result | undefined) {
  const [row] = (bounds?.results ?? []) as { first: number | null; last: number | null }[]
  return { first: row?.first ?? null, last: row?.last ?? 0 }
}

/** `min` and `max` of a rowid are two steps into the tree; apart, because SQLite optimizes only a single one. */
const boundsSql = {
  content: 'select (select min(seq) from contentChange) first, (select max(seq) from contentChange) last',
  directory: 'select (select min(seq) from directoryChange) first, (select max(seq) from directoryChange) last',
}

/** `group by` with a bare `op` beside max(seq) takes the op of that very row: documented SQLite. */
function pageSqlOf(feed: FeedName): string {
  const whose = feed === 'directory' ? "userId in (?1, '*')" : 'userId = ?1'
  const contents = tablesOf(feed).map(([table]) => {
    const owner = feed === 'content' ? ` and ${table}.${ownedByUser}` : ''
    return `when '${table}' then (select ${rowSql(table)} from ${table} where ${table}.id = changed.rowId${owner})`
  })
  return `select seq, tbl, rowId, case when op = 'd' then null else case tbl ${contents.join('\n ')} end end content
from (select max(seq) seq, tbl, rowId, op from ${feeds[feed].log} where ${whose} and seq > ?2 group by tbl, rowId order by max(seq) limit ${pageRows}) changed
order by seq`
}

const pageSql = { content: pageSqlOf('content'), directory: pageSqlOf('directory') }
