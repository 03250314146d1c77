/**
 * Imports all rows of one user, page by page. The first pages and the rows that clients need first are stored before anything is answered. The
 * others follow between other tasks, through the log, so that connected clients receive each page. The position is stored in the transaction of
 * each page, so the import continues after an eviction.
 *
 * The watermark is read before the rows, so changes during the import arrive through the feed.
 */
import { yieldToEventLoop } from '../../lib/pace.ts'
import { forgetGroup } from '../state/gc.ts'
import type { UserState } from '../state/user-state.ts'
import type { ImportCursor, ImportPage, Source, Watermark } from './source.ts'

/**
 * Reads the first pages and stores them with the watermark. An empty object loads them without a log and starts its version at the clock, so
 * that no earlier cookie is accepted. Otherwise the rows are compared, and clients receive the differences.
 */
export async function beginImport(state: UserState, source: Source): Promise<Watermark> {
  const { engine, meta, sql, shape } = state
  const isFirst = state.groups.ids().length === 0
  const { watermark, pages } = await source.beginImport()
  const start = pages.map(({ table, after }) => ({ table, after }))
  const cursors = cursorsBehind(start, pages)
  const firstScreenRows = cursors.length === 0 ? [] : await source.firstScreenRows()
  sql.transaction(() => {
    if (isFirst) {
      engine.wipe(Date.now())
      engine.load([...pages.flatMap(({ rows }) => rows), ...firstScreenRows])
    } else {
      for (const page of pages) applyPage(state, page)
      engine.apply(firstScreenRows)
    }
    meta.watermark = watermark
    if (isFirst || cursors.length === 0) meta.shape = shape
    if (cursors.length > 0) meta.importing = { ...meta.importing, cursors, shape }
  })
  return watermark
}

/** The next pages, of the tables that the source reads first. */
export async function readNextPages({ meta }: UserState, source: Source): Promise<readonly ImportPage[]> {
  await yieldToEventLoop()
  return source.readImport(meta.importing.cursors)
}

/** Call inside a storage transaction. */
export function applyPages(state: UserState, pages: readonly ImportPage[]): void {
  const { engine, meta, shape } = state
  for (const page of pages) applyPage(state, page)
  const { cursors, completedAt, ...rest } = meta.importing
  const remaining = cursorsBehind(cursors, pages)
  const isTableComplete = remaining.length < cursors.length
  // A new version, so that every client receives which of its queries are complete now.
  meta.importing = { ...rest, cursors: remaining, completedAt: isTableComplete ? engine.nextVersion() : completedAt }
  if (remaining.length === 0) meta.shape = shape
}

/** All other pages, before anything is answered. */
export async function finishImport(state: UserState, source: Source): Promise<void> {
  while (state.meta.importing.cursors.length > 0) {
    const pages = await readNextPages(state, source)
    state.sql.transaction(() => applyPages(state, pages))
  }
}

/** The source was restored: what clients and this object store may never have happened. */
export function resetReplica(state: UserState): void {
  state.sql.transaction(() => {
    for (const groupID of state.groups.ids()) forgetGroup(state, groupID)
    state.engine.wipe(Date.now())
    state.meta.importing = { cursors: [], completedAt: 0 }
  })
}

/** Writes the rows of a page. Deletes replica rows in the page's key range that the page does not contain. */
function applyPage({ engine, sql, config }: UserState, { table, rows, after, last }: ImportPage): void {
  const key = config.tables[table]?.primaryKey[0] ?? 'id'
  const [upTo, binds] = last === null ? ['', [after]] : [` and "${key}" <= ?`, [after, last]]
  const held = sql.all<{ id: string }>(`select "${key}" id from "${table}" where "${key}" > ?${upTo}`, ...binds).map(({ id }) => id)
  const [inReplica, inPage] = [new Set<unknown>(held), new Set<unknown>(rows.map(({ id }) => id[key]))]
  engine.apply(rows, ({ id }) => !inReplica.has(id[key]))
  engine.apply(held.filter((id) => !inPage.has(id)).map((id) => ({ table, id: { [key]: id }, row: null })))
}

/** The cursors of the tables that have another page, after `pages`. A table without a page has not been read. */
export const cursorsBehind = <Cursor extends ImportCursor>(cursors: readonly Cursor[], pages: readonly ImportPage[]): readonly Cursor[] =>
  cursors.flatMap((cursor) => {
    const page = pages.find(({ table }) => table === cursor.table)
    if (!page) return [cursor]
    return page.last === null ? [] : [{ ...cursor, after: page.last }]
  })
