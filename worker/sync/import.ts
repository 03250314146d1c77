/**
 * All rows of one person into the replica, page by page. The first pages, and what the first screen shows, are read before anybody is
 * answered; the others follow between other work, through the log, so that connected clients hear of each. Where it stands is stored with the
 * rows of each page: whatever happens in between, it goes on from there.
 *
 * Watermarks are those of its beginning, so the feed is followed meanwhile like any other time.
 */
import { type FeedName, feedEndStatement, readFeedEnd, type Watermarks } from '../db/feed.ts'
import {
  firstScreenStatements,
  type ImportCursor,
  type ImportPage,
  importStart,
  importStatement,
  readFirstScreen,
  readImport,
} from '../db/person-import.ts'
import { othersTurn } from './others-turn.ts'
import type { UserRecord } from './record.ts'
import { syncedShape } from './synced-tables.ts'
import { forgetGroup, forgetStrays } from './tidy.ts'
import type { UserState } from './user-state.ts'

/**
 * Reads the first pages and stores them with the watermarks. An empty object loads them without a log and starts the version at the clock, so
 * that no cookie of an earlier life is accepted. Rows that others hold are compared, and clients hear of what differs.
 */
export async function beginImport(state: UserState, record: UserRecord, nowMs = Date.now()): Promise<Watermarks> {
  const { engine, meta, sql } = state
  const isFirst = state.groups.ids().length === 0
  const { ends, pages } = await readPages(record, importStart, true)
  const cursors = cursorsBehind(importStart, pages)
  const screen =
    cursors.length === 0 ? [] : readFirstScreen(await record.batch(record.content, firstScreenStatements(record.content, record.userId)))
  sql.transaction(() => {
    if (isFirst) {
      engine.wipe(nowMs)
      engine.load([...pages.flatMap(({ rows }) => rows), ...screen])
    } else {
      for (const page of pages) takePage(state, page)
      engine.apply(screen)
    }
    meta.watermarks = ends
    if (isFirst || cursors.length === 0) meta.shape = syncedShape
    if (cursors.length > 0) meta.importing = { ...meta.importing, cursors, shape: syncedShape }
  })
  return ends
}

/** The next page of every table that has one, when everybody else had their turn. */
export async function readOn({ meta }: UserState, record: UserRecord): Promise<readonly ImportPage[]> {
  await othersTurn()
  return (await readPages(record, meta.importing.cursors, false)).pages
}

/** Call inside a storage transaction. */
export function takePages(state: UserState, pages: readonly ImportPage[]): void {
  const { engine, meta } = state
  for (const page of pages) takePage(state, page)
  const { cursors, completedAt, ...rest } = meta.importing
  const left = cursorsBehind(cursors, pages)
  // A version of its own, so that every client hears which of its queries are complete now.
  meta.importing = { ...rest, cursors: left, completedAt: left.length === 0 ? engine.nextVersion() : completedAt }
  if (left.length === 0) meta.shape = syncedShape
}

/** The rest at once, before anybody is answered. */
export async function finishImport(state: UserState, record: UserRecord): Promise<void> {
  while (state.meta.importing.cursors.length > 0) {
    const pages = await readOn(state, record)
    state.sql.transaction(() => takePages(state, pages))
  }
}

/** The record is an earlier one: what clients and this object know may never have happened. Only the record says what has. */
export function forgetEverything(state: UserState, nowMs = Date.now()): void {
  state.sql.transaction(() => {
    for (const groupID of state.groups.ids()) forgetGroup(state, groupID)
    forgetStrays(state)
    state.engine.wipe(nowMs)
    state.meta.importing = { cursors: [], completedAt: 0 }
  })
}

function takePage({ engine, sql }: UserState, { table, rows, after, last }: ImportPage): void {
  engine.apply(rows)
  const met = new Set(rows.map(({ id }) => id.id))
  const [upTo, binds] = last === null ? ['', [after]] : [' and id <= ?', [after, last]]
  const held = sql.all<{ id: string }>(`select id from "${table}" where id > ?${upTo}`, ...binds)
  engine.apply(held.filter(({ id }) => !met.has(id)).map(({ id }) => ({ table, id: { id }, row: null })))
}

const cursorsBehind = (cursors: readonly ImportCursor[], pages: readonly ImportPage[]): readonly ImportCursor[] =>
  cursors.flatMap((cursor) => {
    const last = pages.find(({ table }) => table === cursor.table)?.last ?? null
    return last === null ? [] : [{ ...cursor, after: last }]
  })

/** One batch per database. The ends of the feeds stand before the rows: a change in between is read twice, never missed. */
async function readPages(
  record: UserRecord,
  cursors: readonly ImportCursor[],
  withEnds: boolean,
): Promise<{ readonly ends: Watermarks; readonly pages: readonly ImportPage[] }> {
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
      const results = await record.batch(
        db,
        asked.map(({ statement }) => statement),
      )
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
