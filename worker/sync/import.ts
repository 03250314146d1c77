/**
 * All rows of one person, page by page, into the replica. The first import writes no log and raises the floor, so that no cookie of
 * an earlier life of this object is accepted. A later one (the feed was tidied too far, the tables changed) goes through the log like
 * any change, and removes what it did not meet; clients then hear only of what differs.
 */
import {
  type FeedChange,
  type FeedName,
  feedEndStatement,
  type ImportCursor,
  importStart,
  importStatement,
  readFeedEnd,
  readImport,
  type Watermarks,
} from '../db/feed.ts'
import type { UserRecord } from './record.ts'
import { syncedShape, syncedTables } from './synced-tables.ts'
import type { UserState } from './user-state.ts'

/** Stores the watermarks when it is done; interrupted before, it starts over. */
export async function importEverything(state: UserState, record: UserRecord, nowMs = Date.now()): Promise<Watermarks> {
  const { engine, meta, sql } = state
  const isFirst = state.groups.ids().length === 0
  if (isFirst) engine.wipe(nowMs)
  const met = new Map(Object.keys(syncedTables).map((table) => [table, new Set<string>()]))
  let cursors = importStart
  let watermarks: Watermarks | null = null
  while (cursors.length > 0) {
    const { ends, pages } = await readPages(record, cursors, watermarks === null)
    watermarks ??= ends
    const rows = pages.flatMap((page) => page.rows)
    for (const row of rows) met.get(row.table)?.add(row.id.id)
    if (isFirst) engine.load(rows)
    else sql.transaction(() => void engine.apply(rows))
    cursors = pages.flatMap((page) => page.next ?? [])
  }
  const complete = watermarks ?? { content: 0, directory: 0 }
  sql.transaction(() => {
    if (!isFirst) for (const [table, ids] of met) engine.apply(unmet(state, table, ids))
    meta.watermarks = complete
    meta.shape = syncedShape
  })
  return complete
}

type Pages = {
  readonly ends: Watermarks
  readonly pages: readonly { readonly rows: readonly FeedChange[]; readonly next: ImportCursor | null }[]
}

/** One batch per database. The ends of the feeds stand before the rows: a change in between is read twice, never missed. */
async function readPages(record: UserRecord, cursors: readonly ImportCursor[], withEnds: boolean): Promise<Pages> {
  const feeds: readonly FeedName[] = ['content', 'directory']
  const statements = feeds.flatMap((feed) => [
    ...(withEnds ? [{ feed, statement: feedEndStatement(record.db(feed), feed), cursor: null }] : []),
    ...cursors
      .filter((cursor) => cursor.feed === feed)
      .map((cursor) => ({ feed, statement: importStatement(record.db(feed), cursor, record.userId), cursor })),
  ])
  const byDb = Map.groupBy(statements, ({ feed }) => record.db(feed))
  const answered = await Promise.all(
    [...byDb].map(async ([db, asked]) => {
      const results = await db.batch(asked.map(({ statement }) => statement))
      return asked.map(({ feed, cursor }, i) => ({ feed, cursor, result: results[i] }))
    }),
  )
  const answers = answered.flat()
  const endOf = (name: FeedName) => readFeedEnd(answers.find(({ feed, cursor }) => feed === name && cursor === null)?.result)
  return {
    ends: { content: endOf('content'), directory: endOf('directory') },
    pages: answers.flatMap(({ cursor, result }) => (cursor === null ? [] : [readImport(cursor, result)])),
  }
}

/** Rows of the replica that the import did not meet are no longer this person's. Every synced table has the single key `id`. */
function unmet({ sql }: UserState, table: string, met: ReadonlySet<string>) {
  const held = sql.all<{ id: string }>(`select id from "${table}"`)
  return held.filter(({ id }) => !met.has(id)).map(({ id }) => ({ table, id: { id }, row: null }))
}
