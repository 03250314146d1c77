/**
 * Reading the change feed: everything one person sees that changed behind a watermark, joined with the rows as they are now.
 * A row changed many times appears once. Rows come as the wire carries them. Reads are statements, so that a caller can put them
 * into the batch that wrote: what it wrote, and what triggers made of it, is then in the answer.
 */
import type { TableName } from '../contract/schema.ts'
import { decodeRow, type RecordRow, rowSql } from './row-json.ts'

/** The last row that was read of a feed, and its time: a database that was restored may give its number to another row. */
export type Position = { readonly seq: number; readonly atMs: number | null }

/** How far each feed was read. */
export type Watermarks = { readonly content: Position; readonly directory: Position }
export type FeedName = keyof Watermarks

/** `row` is null when it is gone, or no longer this person's to see. */
export type FeedChange = { readonly table: TableName; readonly id: { readonly id: string }; readonly row: RecordRow | null }

type FeedPage = {
  readonly changes: readonly FeedChange[]
  readonly watermark: Position
  /** False when more is waiting behind `watermark`. */
  readonly isLast: boolean
  /** JSON of its rows. */
  readonly chars: number
  readonly break: FeedBreak | null
}

/**
 * Why a feed cannot be read on from where it was left. `tidied`: its rows behind the watermark are gone, only a new import makes the reader
 * whole. `restored`: the database is an earlier one, and what the reader knows of it may never have happened.
 */
export type FeedBreak = 'tidied' | 'restored'

/** Ours: rows per page. It also ends with the row whose long column makes it this long, so that nobody has to hold more than that and one row. */
export const pageRows = 200
export const pageBytes = 256 * 1024

/** What may be long in a row. Everything else in a page is small, whatever people write. */
export const longColumns: { readonly [Table in TableName]?: string } = { message: 'message', queuedMessage: 'text' }

/** `upTo` is what long columns hold up to this row of the page. */
export const isLastPage = (rows: readonly { readonly upTo: number }[], limit: number): boolean =>
  rows.length < limit && (rows.at(-1)?.upTo ?? 0) < pageBytes

/** A row's owner, in SQL over the table's own columns; `?1` is the person. */
const ownedByUser = 'userId = ?1'
const inMyOrganizations = (column: string) => `${column} in (select organizationId from member where userId = ?1)`

export const feeds: { readonly [Name in FeedName]: { readonly log: string; readonly tables: { readonly [Table in TableName]?: string } } } =
  {
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
        memberProfile: inMyOrganizations('organizationId'),
        invitation: inMyOrganizations('organizationId'),
        team: inMyOrganizations('organizationId'),
        teamMember: `teamId in (select id from team where ${inMyOrganizations('organizationId')})`,
        organizationCustomer: inMyOrganizations('organizationId'),
      },
    },
  }

export const tablesOf = (feed: FeedName) => Object.entries(feeds[feed].tables) as [TableName, string][]

/** The page behind a position and where the feed ends, in one statement: each costs a push as much as the rows it reads. */
export const feedStatement = (db: D1Database, feed: FeedName, userId: string, { seq }: Position): D1PreparedStatement =>
  db.prepare(feedSql[feed]).bind(userId, seq)

export function readFeed(result: D1Result | undefined, watermark: Position): FeedPage {
  const [ends, ...found] = (result?.results ?? []) as [FoundEnds | undefined, ...FoundChange[]]
  const bounds = boundsOf(ends)
  const isLast = isLastPage(found, pageRows)
  const lastRead = found.at(-1)
  return {
    changes: found.map(({ tbl, rowId, content }) => ({
      table: tbl,
      id: { id: rowId },
      row: content === null ? null : decodeRow(tbl, content),
    })),
    watermark: isLast || !lastRead ? { seq: bounds.last, atMs: bounds.lastAtMs } : { seq: lastRead.seq, atMs: lastRead.at },
    isLast,
    chars: found.reduce((sum, { content }) => sum + (content?.length ?? 0), 0),
    break: breakIn(bounds, watermark),
  }
}

type FoundChange = {
  readonly seq: number
  readonly at: number
  readonly tbl: TableName
  readonly rowId: string
  readonly content: string | null
  readonly upTo: number
}

/** Rows are removed from a feed's old end only, and never all of them. */
function breakIn({ first, last, knownAtMs }: Bounds, { seq, atMs }: Position): FeedBreak | null {
  if (last < seq) return 'restored'
  if (first === null) return null
  if (seq < first - 1) return 'tidied'
  const isKnown = seq < first || atMs === null || knownAtMs === atMs
  return isKnown ? null : 'restored'
}

/** Where a feed ends; read before the rows of an import, so that nothing falls between. */
export const feedEndStatement = (db: D1Database, feed: FeedName): D1PreparedStatement => db.prepare(`select ${boundsSql(feed, 0)} content`)

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
}

type FoundEnds = { readonly content: string }

function boundsOf(ends: FoundEnds | undefined): Bounds {
  // Written by `boundsSql`.
  const [first, last, lastAtMs, knownAtMs] = JSON.parse(ends?.content ?? '[]') as (number | null | undefined)[]
  return { first: first ?? null, last: last ?? 0, lastAtMs: lastAtMs ?? null, knownAtMs: knownAtMs ?? null }
}

/** `min` and `max` of a rowid are two steps into the tree; apart, because SQLite optimizes only a single one. */
const boundsSql = (feed: FeedName, watermark: '?2' | 0): string => {
  const { log } = feeds[feed]
  const last = `select at from ${log} order by seq desc limit 1`
  return `json_array((select min(seq) from ${log}), (select max(seq) from ${log}), (${last}), (select at from ${log} where seq = ${watermark}))`
}

/**
 * `?1` is the person, `?2` the watermark. The feed's ends stand in the row without a number, which sorts first.
 * `group by` with a bare `op` and `at` beside max(seq) takes those of that very row: documented SQLite.
 */
function feedSqlOf(feed: FeedName): string {
  const whose = feed === 'directory' ? "userId in (?1, '*')" : 'userId = ?1'
  const contents = tablesOf(feed).map(([table]) => {
    const owner = feed === 'content' ? ` and ${table}.${ownedByUser}` : ''
    return `when '${table}' then (select ${rowSql(table)} from ${table} where ${table}.id = changed.rowId${owner})`
  })
  const listed = `select max(seq) seq, at, tbl, rowId, op from ${feeds[feed].log}
  where ${whose} and seq > ?2 group by tbl, rowId order by max(seq) limit ${pageRows}`
  return `select null seq, null at, null tbl, null rowId, 0 upTo, ${boundsSql(feed, '?2')} content
union all select seq, at, tbl, rowId, upTo, case when op = 'd' then null else case tbl ${contents.join('\n ')} end end content
from (${summed(feed, listed)}) changed order by seq`
}

/** Nothing in the directory is long. */
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
