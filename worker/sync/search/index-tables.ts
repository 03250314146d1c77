/**
 * The words of a person's messages, for looking them up (SPEC L1, L2). Made when somebody first looks for something, and taken up to date
 * when somebody looks again, from the log: whoever never looks pays nothing, and no write waits for it. A copy of a copy: it may go any time.
 *
 * A message's number tells its age, so the newest come first out of the index without being sorted or ranked.
 */
import { type ChatMessage, textOf } from '../../contract/messages.ts'
import { must } from '../../lib/assert.ts'
import { fingerprint } from '../../lib/fingerprint.ts'
import { keyColumns, type RowKey } from '../engine/codec.ts'
import { type LogEntry, readLog } from '../engine/log.ts'
import type { Engine, Sql, Version } from '../engine/types.ts'
import { syncedTables } from '../synced-tables.ts'
import { indexedText } from './tokens.ts'

type Source = { readonly sql: Sql; readonly engine: Pick<Engine, 'version' | 'floor'> }

/** `readTo`: the id up to which the replica has been read, null when that is done. Everything up to `version` is in it then. */
type IndexState = { readonly readTo: string | null; readonly version: Version }

const messages = must(syncedTables.message, 'messages are synced')

/** Ours: a slice takes a few milliseconds, and others have their turn behind it. */
const maxSliceMessages = 200
const maxSliceBytes = 500_000
/** So many messages of one millisecond have numbers of their own, and the number is still exact. */
const numbersPerMs = 4096
const lastMs = Math.floor(Number.MAX_SAFE_INTEGER / numbersPerMs) - 1

const tables = [
  'create table search_state (id integer primary key check (id = 0), definition text, readTo text, version integer)',
  'create table search_message (docid integer primary key, id text not null unique)',
  `create virtual table search_text using fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 0')`,
]

/** Raised when other words are made of a text than before (tokens.ts); the tables count by themselves (SPEC L5). */
export const wordsFormat = 1
const definition = fingerprint(JSON.stringify([wordsFormat, tables]))

/** Null without an index of this definition. An earlier release did not say by which it made its own. */
const stateOf = ({ sql }: Source): IndexState | null =>
  sql.all(`select 1 found from sqlite_master where name = 'search_state' and sql like '%definition%'`).length === 0
    ? null
    : (sql.all<IndexState>('select readTo, version from search_state where definition = ?', definition)[0] ?? null)

/** Whether everything that the replica holds is in it. */
export function isCurrent(source: Source): boolean {
  const state = stateOf(source)
  return state !== null && state.readTo === null && state.version === source.engine.version
}

/** Takes in the next slice; false when nothing is left. */
export function takeIn(source: Source): boolean {
  return source.sql.transaction(() => {
    const state = usableState(source) ?? begin(source)
    if (state.readTo !== null) readReplica(source, state, state.readTo)
    else readChanges(source, state)
    return !isCurrent(source)
  })
}

/** What happened below the floor nobody tells any more: then it is made anew. */
function usableState(source: Source): IndexState | null {
  const state = stateOf(source)
  return state && state.version >= source.engine.floor ? state : null
}

function begin({ sql, engine }: Source): IndexState {
  for (const name of ['search_state', 'search_message', 'search_text']) sql.run(`drop table if exists ${name}`)
  for (const table of tables) sql.run(table)
  const state = { readTo: '', version: engine.version }
  sql.run('insert into search_state (id, definition, readTo, version) values (0, ?, ?, ?)', definition, state.readTo, state.version)
  return state
}

const keep = ({ sql }: Source, { readTo, version }: IndexState) =>
  sql.run('update search_state set readTo = ?, version = ?', readTo, version)

/** What changes meanwhile is in the log behind the version at which this began. */
function readReplica(source: Source, { version }: IndexState, after: string): void {
  const { sql } = source
  // Of a text's length only its row's beginning is read.
  const next = sql.all<{ id: string; bytes: number }>(
    'select id, octet_length(message) bytes from message where id > ? order by id limit ?',
    ...[after, maxSliceMessages],
  )
  const slice = withinBytes(next, ({ bytes }) => bytes)
  put(
    source,
    slice.map(({ id }) => id),
  )
  const isLast = slice.length === next.length && next.length < maxSliceMessages
  keep(source, { readTo: isLast ? null : (slice.at(-1)?.id ?? after), version })
}

function readChanges(source: Source, { version }: IndexState): void {
  const { sql, engine } = source
  const next = nextEntries(sql, version)
  const bytes = bytesOf(sql, messageIds(next))
  const entries = withinBytes(next, (entry) => {
    const id = messageIds([entry])[0] ?? ''
    const size = bytes.get(id) ?? 0
    // Changed once more, it is read once.
    bytes.delete(id)
    return size
  })
  const ids = messageIds(entries)
  remove(source, ids)
  put(source, ids)
  const last = entries.at(-1)?.version ?? version
  const isLast = readLog(sql, last, 1).length === 0
  // Some versions are of no row, and not in the log.
  keep(source, { readTo: null, version: isLast ? engine.version : last })
}

/** Row by row, because a row may hold many: what was changed together. A slice may end in the midst of them. */
function nextEntries(sql: Sql, version: Version): readonly LogEntry[] {
  const entries: LogEntry[] = []
  while (entries.length < maxSliceMessages) {
    const row = readLog(sql, entries.at(-1)?.version ?? version, 1)
    if (row.length === 0) break
    entries.push(...row)
  }
  return entries.slice(0, maxSliceMessages)
}

const messageIds = (entries: readonly LogEntry[]): readonly string[] => [
  ...new Set(entries.flatMap(({ table, key }) => (table === 'message' ? [idIn(key)] : []))),
]

const idIn = (key: RowKey): string => String(Object.values(keyColumns(messages, key))[0])

function bytesOf(sql: Sql, ids: readonly string[]): Map<string, number> {
  const rows = sql.all<{ id: string; bytes: number }>(
    'select id, octet_length(message) bytes from message where id in (select value from json_each(?))',
    JSON.stringify(ids),
  )
  return new Map(rows.map(({ id, bytes }) => [id, bytes]))
}

/** The first of them that fit into a slice, and one in any case. */
function withinBytes<T>(items: readonly T[], bytesIn: (item: T) => number): readonly T[] {
  let bytes = 0
  const end = items.findIndex((item, i) => {
    bytes += bytesIn(item)
    return i > 0 && bytes > maxSliceBytes
  })
  return end === -1 ? items : items.slice(0, end)
}

function remove({ sql }: Source, ids: readonly string[]): void {
  const held = sql.all<{ docid: number }>(
    'select docid from search_message where id in (select value from json_each(?))',
    JSON.stringify(ids),
  )
  for (const { docid } of held) {
    sql.run('delete from search_text where rowid = cast(? as integer)', docid)
    sql.run('delete from search_message where docid = ?', docid)
  }
}

function put({ sql }: Source, ids: readonly string[]): void {
  const rows = sql.all<{ id: string; createdAt: number | null; message: string }>(
    `select m.id, m.createdAt, m.message from json_each(?) i join message m on m.id = i.value order by m.createdAt, m.id`,
    JSON.stringify(ids),
  )
  for (const { id, createdAt, message } of rows) {
    // Stored by the engine, from a row that the contract describes.
    const words = indexedText(textOf(JSON.parse(message) as ChatMessage))
    if (words === '') continue
    const docid = freeNumber(sql, createdAt ?? 0)
    sql.run('insert into search_message (docid, id) values (?, ?)', docid, id)
    sql.run('insert into search_text (rowid, words) values (cast(? as integer), ?)', docid, words)
  }
}

/** Of the millisecond, or of the next one that has a free one. */
function freeNumber(sql: Sql, createdAt: number): number {
  for (let ms = Math.min(Math.max(0, Math.floor(createdAt)), lastMs); ; ms += 1) {
    const first = ms * numbersPerMs
    const end = first + numbersPerMs
    const last = sql.all<{ docid: number | null }>(
      'select max(docid) docid from search_message where docid >= ? and docid < ?',
      first,
      end,
    )[0]?.docid
    const free = last == null ? first : last + 1
    if (free < end) return free
  }
}
