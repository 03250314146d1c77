/**
 * Reads the change feed: the changes of one user after a watermark, joined with the current rows. A row that changed several times appears
 * once. Reads are statements, so they can be part of the batch that writes; the result then includes the writes.
 */
import type { TableName } from '../contract/schema.ts'
import { type FeedName, feeds, isVisibleSql, scopeMark, tablesOf } from './feed-tables.ts'
import { type D1Row, decodeRow, rowSql } from './row-json.ts'

/** The last row read from a feed, with its time. After a restore of the database, another row can have the same number. */
export type Position = { readonly seq: number; readonly atMs: number | null }

/** Read position of each feed. */
export type Watermarks = { readonly content: Position; readonly directory: Position }

/** `row` is null if the row was deleted or the user lost access to it. */
export type FeedChange = { readonly table: TableName; readonly id: { readonly id: string }; readonly row: D1Row | null }

/** The user joined or left an organization. */
type OrganizationChange = { readonly organizationId: string; readonly isAdded: boolean }

type FeedPage = {
  readonly changes: readonly FeedChange[]
  readonly scopes: readonly OrganizationChange[]
  readonly watermark: Position
  /** False if more rows follow `watermark`. */
  readonly isLast: boolean
  /** Length of the rows as JSON. */
  readonly chars: number
  readonly break: FeedBreak | null
}

/**
 * Why a reader cannot continue at its position. `expired`: the following rows were pruned, so the reader must import all tables. `restored`:
 * the database was restored to an earlier state, so the reader may hold changes that no longer exist.
 */
type FeedBreak = 'expired' | 'restored'

/** Chosen: feed rows per page. A page also ends with the row whose long column exceeds this size, which bounds the memory of a reader. */
export const pageRows = 200
export const pageBytes = 256 * 1024

/** The long column of each table. All other columns have short limits. */
export const longColumns: { readonly [Table in TableName]?: string } = {
  message: 'message',
  queuedMessage: 'text',
  draft: 'text',
  approval: 'input',
}

/** `upTo` is the length of the long columns up to this row of the page. */
export const isWithinPage = (rows: readonly { readonly upTo: number }[]): boolean => (rows.at(-1)?.upTo ?? 0) < pageBytes

/**
 * The page after a position, with the ends of the feed, in one statement. `organizationIds`: organizations whose rows the reader has. The
 * reader also gets the rows of the organizations that it is a member of now.
 */
export const feedStatement = (
  db: D1Database,
  feed: FeedName,
  userId: string,
  { seq }: Position,
  organizationIds: readonly string[] = [],
): D1PreparedStatement => db.prepare(feedSql[feed]).bind(userId, seq, ...(feed === 'directory' ? [JSON.stringify(organizationIds)] : []))

export function readFeed(result: D1Result | undefined, watermark: Position): FeedPage {
  const [head, ...found] = (result?.results ?? []) as [FoundEnds | undefined, ...FoundChange[]]
  const bounds = boundsOf(head)
  const isLast = bounds.rows < pageRows && isWithinPage(found)
  const lastRead = found.at(-1)
  const isMark = ({ tbl }: FoundChange) => tbl === scopeMark
  return {
    changes: found.flatMap(({ tbl, rowId, content }) =>
      tbl === scopeMark ? [] : [{ table: tbl, id: { id: rowId }, row: content === null ? null : decodeRow(tbl, content) }],
    ),
    scopes: found.filter(isMark).map(({ rowId, op }) => ({ organizationId: rowId.slice('org:'.length), isAdded: op !== 'd' })),
    watermark: isLast || !lastRead ? { seq: bounds.last, atMs: bounds.lastAtMs } : { seq: lastRead.seq, atMs: lastRead.at },
    isLast,
    chars: found.reduce((sum, { content }) => sum + (content?.length ?? 0), 0),
    break: breakIn(bounds, watermark),
  }
}

type FoundChange = {
  readonly seq: number
  readonly at: number
  readonly tbl: TableName | typeof scopeMark
  readonly rowId: string
  readonly op: 'i' | 'u' | 'd'
  readonly content: string | null
  readonly upTo: number
}

/** Pruning removes only the oldest rows of a feed, and never all of them. */
function breakIn({ first, last, knownAtMs }: Bounds, { seq, atMs }: Position): FeedBreak | null {
  if (last < seq) return 'restored'
  if (first === null) return null
  if (seq < first - 1) return 'expired'
  const isKnown = seq < first || atMs === null || knownAtMs === atMs
  return isKnown ? null : 'restored'
}

/** The end of a feed. Read before the rows of an import, so that no change is missed. */
export const feedEndStatement = (db: D1Database, feed: FeedName): D1PreparedStatement =>
  db.prepare(`select ${boundsSql(feed, '0', '0')} content`)

export function readFeedEnd(result: D1Result | undefined): Position {
  const [ends] = (result?.results ?? []) as [FoundEnds?]
  const { last, lastAtMs } = boundsOf(ends)
  return { seq: last, atMs: lastAtMs }
}

type Bounds = {
  readonly first: number | null
  readonly last: number
  readonly lastAtMs: number | null
  /** The time of the row at the reader's watermark. */
  readonly knownAtMs: number | null
  /** Feed rows in the page, before they are grouped. */
  readonly rows: number
}

type FoundEnds = { readonly content: string }

function boundsOf(ends: FoundEnds | undefined): Bounds {
  // Written by `boundsSql`.
  const [first, last, lastAtMs, knownAtMs, rows] = JSON.parse(ends?.content ?? '[]') as (number | null | undefined)[]
  return { first: first ?? null, last: last ?? 0, lastAtMs: lastAtMs ?? null, knownAtMs: knownAtMs ?? null, rows: rows ?? 0 }
}

/** `min` and `max` of a rowid take two lookups. Separate queries, because SQLite optimizes only one aggregate per query. */
const boundsSql = (feed: FeedName, watermark: '?2' | '0', rows: string): string => {
  const { log } = feeds[feed]
  const first = `(select min(seq) from ${log})`
  const last = `(select max(seq) from ${log}), (select at from ${log} order by seq desc limit 1)`
  return `json_array(${first}, ${last}, (select at from ${log} where seq = ${watermark}), ${rows})`
}

const scopesSql: { readonly [Name in FeedName]: string } = {
  content: `select 'user:' || ?1`,
  directory: `select 'user:' || ?1 union select '*' union select 'org:' || organizationId from member where userId = ?1
    union select 'org:' || value from json_each(?3)`,
}

/**
 * `?1` is the user, `?2` the watermark. A page takes the next feed rows of each scope from an index and then groups them, so its cost does
 * not depend on the backlog. The ends of the feed are in the row with a null `seq`, which sorts first. With `max(seq)`, SQLite takes the
 * bare columns `op` and `at` from the same row (documented behaviour).
 */
function feedSqlOf(feed: FeedName): string {
  const { log } = feeds[feed]
  const contents = tablesOf(feed).map(
    ([table, scoped]) =>
      `when '${table}' then (select ${rowSql(table)} from ${table} where ${table}.id = changed.rowId and ${isVisibleSql(scoped, '?1')})`,
  )
  const next = `select seq from ${log} where ${log}.scope = scopes.scope and seq > ?2 order by seq limit ${pageRows}`
  return `with scopes (scope) as materialized (${scopesSql[feed]}),
page as materialized (
  select log.seq, at, tbl, rowId, op from scopes cross join ${log} log on log.seq in (${next}) order by log.seq limit ${pageRows}
)
select null seq, null at, null tbl, null rowId, null op, 0 upTo, ${boundsSql(feed, '?2', '(select count(*) from page)')} content
union all select seq, at, tbl, rowId, op, upTo, case when op = 'd' then null else case tbl ${contents.join('\n ')} end end content
from (${summed(feed, 'select max(seq) seq, at, tbl, rowId, op from page group by tbl, rowId')}) changed order by seq`
}

/** The directory has no long columns. */
function summed(feed: FeedName, listed: string): string {
  const lengths = tablesOf(feed).flatMap(([table]) => {
    const column = longColumns[table]
    return column ? [`when '${table}' then (select octet_length(${column}) from ${table} where id = changedRows.rowId)`] : []
  })
  if (lengths.length === 0) return `select *, 0 upTo from (${listed}) changedRows`
  const measured = `select *, coalesce(case tbl ${lengths.join(' ')} end, 0) bytes from (${listed}) changedRows`
  return `select * from (select *, sum(bytes) over (order by seq) upTo from (${measured}) changedBytes) changedSums where upTo - bytes < ${pageBytes}`
}

const feedSql = { content: feedSqlOf('content'), directory: feedSqlOf('directory') }
