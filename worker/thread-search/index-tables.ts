/**
 * The full-text index of a user's messages (SPEC L1, L2). It is built at the first search and updated from the log at later searches, so
 * writes pay nothing for it. It can be deleted at any time. Document numbers grow with the age of messages, so the newest come first
 * without sorting.
 */

import { schema } from '../contract/schema.ts'
import { withoutMarks } from '../contract/text.ts'
import { type ChatMessage, textOf } from '../contract/threads/messages.ts'
import { hasFile, type SearchFilter } from '../contract/threads/search.ts'
import { fingerprint } from '../lib/digests.ts'
import { keyColumns, type RowKey } from '../sync/engine/codec.ts'
import { type LogEntry, readLog } from '../sync/engine/log.ts'
import type { Engine, Sql, Table, Version } from '../sync/engine/types.ts'

type Source = { readonly sql: Sql; readonly engine: Pick<Engine, 'version' | 'floor'> }

/** `readTo`: the id up to which the replica has been indexed, null when complete. Then it contains everything up to `version`. */
type IndexState = { readonly readTo: string | null; readonly version: Version }

const messages: Table = schema.tables.message

/** Chosen: a slice takes a few milliseconds, and other tasks run after it. */
const maxSliceMessages = 200
const maxSliceBytes = 500_000
/** Numbers per millisecond. The product with the time stays an exact integer. */
const numbersPerMs = 4096
const lastMs = Math.floor(Number.MAX_SAFE_INTEGER / numbersPerMs) - 1

const tables = [
  'create table search_state (id integer primary key check (id = 0), definition text, readTo text, version integer)',
  'create table search_message (docid integer primary key, id text not null unique, threadId text not null)',
  'create index search_thread on search_message (threadId)',
  `create virtual table search_text using fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 0')`,
]

/** Increase when the indexed messages, or the words or properties of a message (below), change. The tables are part of the definition (SPEC L5). */
export const wordsFormat = 3
const definition = fingerprint(JSON.stringify([wordsFormat, tables]))

/** Null without an index of this definition. */
const stateOf = ({ sql }: Source): IndexState | null =>
  sql.all(`select 1 found from sqlite_master where name = 'search_state'`).length === 0
    ? null
    : (sql.all<IndexState>('select readTo, version from search_state where definition = ?', definition)[0] ?? null)

/** True if the index contains everything in the replica. */
export function isCurrent(source: Source): boolean {
  const state = stateOf(source)
  return state !== null && state.readTo === null && state.version === source.engine.version
}

/** Indexes the next slice. False when nothing remains. */
export function indexNextSlice(source: Source): boolean {
  return source.sql.transaction(() => {
    const state = usableState(source) ?? begin(source)
    if (state.readTo !== null) readReplica(source, state, state.readTo)
    else readChanges(source, state)
    return !isCurrent(source)
  })
}

/** The log has no changes below the floor: the index is built again. */
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

const saveState = ({ sql }: Source, { readTo, version }: IndexState) =>
  sql.run('update search_state set readTo = ?, version = ?', readTo, version)

/** Changes since the start are in the log after this version. */
function readReplica(source: Source, { version }: IndexState, after: string): void {
  const { sql } = source
  // Reads only the start of the row for the length of a text.
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
  saveState(source, { readTo: isLast ? null : (slice.at(-1)?.id ?? after), version })
}

function readChanges(source: Source, { version }: IndexState): void {
  const { sql, engine } = source
  const next = nextEntries(sql, version)
  const bytes = bytesOf(sql, messageIds(next))
  const entries = withinBytes(next, (entry) => {
    const id = messageIds([entry])[0] ?? ''
    const size = bytes.get(id) ?? 0
    // A message that changed several times is read once.
    bytes.delete(id)
    return size
  })
  const ids = messageIds(entries)
  remove(source, ids)
  put(source, ids)
  const last = entries.at(-1)?.version ?? version
  const isLast = readLog(sql, last, 1).length === 0
  // Some versions belong to no row and are not in the log.
  saveState(source, { readTo: null, version: isLast ? engine.version : last })
}

/** Row by row, because a log row may hold many changes. A slice may end within one. */
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

/** The first ones that fit into a slice, at least one. */
function withinBytes<T>(items: readonly T[], bytesIn: (item: T) => number): readonly T[] {
  let bytes = 0
  const end = items.findIndex((item, i) => {
    bytes += bytesIn(item)
    return i > 0 && bytes > maxSliceBytes
  })
  return end === -1 ? items : items.slice(0, end)
}

function remove({ sql }: Source, ids: readonly string[]): void {
  const indexed = sql.all<{ docid: number }>(
    'select docid from search_message where id in (select value from json_each(?))',
    JSON.stringify(ids),
  )
  for (const { docid } of indexed) {
    sql.run('delete from search_text where rowid = cast(? as integer)', docid)
    sql.run('delete from search_message where docid = ?', docid)
  }
}

function put({ sql }: Source, ids: readonly string[]): void {
  const rows = sql.all<{ id: string; threadId: string; createdAt: number | null; message: string }>(
    // No search finds a temporary thread, and a thread never changes between temporary and permanent.
    `select m.id, m.threadId, m.createdAt, m.message from json_each(?) i join message m on m.id = i.value
     where not exists (select 1 from thread t where t.id = m.threadId and t.expiresAt is not null) order by m.createdAt, m.id`,
    JSON.stringify(ids),
  )
  for (const { id, threadId, createdAt, message } of rows) {
    // Stored by the engine, from a row that the contract describes.
    const words = indexedText(JSON.parse(message) as ChatMessage)
    const docid = freeNumber(sql, createdAt ?? 0)
    sql.run('insert into search_message (docid, id, threadId) values (?, ?, ?)', docid, id, threadId)
    sql.run('insert into search_text (rowid, words) values (cast(? as integer), ?)', docid, words)
  }
}

/** The first document number of a millisecond. */
export const docidOf = (ms: number): number => Math.min(Math.max(0, Math.floor(ms)), lastMs) * numbersPerMs

/** In the message's millisecond, or in the next one with a free number. */
function freeNumber(sql: Sql, createdAt: number): number {
  for (let first = docidOf(createdAt); ; first += numbersPerMs) {
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

/**
 * The words of texts and requests in the index. The index finds candidates; the text is checked afterwards. So the missing order of words and
 * the missing ends of very long words cost only extra reads. A word is found by its beginning only, and symbols are not indexed, which can hide
 * matches (SPEC L6).
 */

/** Chosen: longer ones are addresses and data. */
const maxTokenChars = 64
/** Chosen: a longer request does not narrow the result. */
const maxTokens = 12

const letterRuns = /[\p{L}\p{N}]+/gu
/** Scripts without spaces: every character is a word, so that it is found within a sentence. */
const unspacedScripts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu

const tokensOf = (text: string): readonly string[] =>
  (text.toLowerCase().replace(unspacedScripts, ' $& ').match(letterRuns) ?? []).map((run) => [...run].slice(0, maxTokenChars).join(''))

/** Tokens of the raw text and of the text without marks: a mark separates words in a table, and is inside a word that is half bold. */
const wordsIn = (text: string): readonly string[] => [...new Set([...tokensOf(text), ...tokensOf(withoutMarks(text))])]

/** Properties of messages in the index. They begin with private-use characters, which no word contains. */
const roleToken = { user: '\ue000', assistant: '\ue001' } as const
const filesToken = '\ue002'
const modelToken = (modelId: string): string => `\ue003${fingerprint(modelId)}`

/** Words and properties of a message. Every message has the property of its role. */
export const indexedText = (message: ChatMessage): string =>
  [
    ...wordsIn(textOf(message)),
    roleToken[message.role],
    ...(hasFile(message) ? [filesToken] : []),
    ...(message.role === 'assistant' ? [modelToken(message.metadata.modelId)] : []),
  ].join(' ')

const quoted = (tokens: readonly string[]): string => tokens.map((token) => `"${token}"`).join(' ')

/** The index query for the properties that the filter names. Empty if it names none. */
const propertyQuery = ({ role, hasFiles, modelId }: SearchFilter): string =>
  quoted([
    ...(role === undefined ? [] : [roleToken[role]]),
    ...(hasFiles === true ? [filesToken] : []),
    ...(modelId === undefined ? [] : [modelToken(modelId)]),
  ])

/** Matches every message. */
const anyMessage = Object.values(roleToken)
  .map((token) => `"${token}"`)
  .join(' OR ')

/** Queries for the index, best first: the words as typed, then as beginnings of words, except single letters. */
export function indexQueriesOf(query: string, filter: SearchFilter): readonly string[] {
  const properties = propertyQuery(filter)
  if (query.trim() === '') return [properties || anyMessage]
  const tokens = tokensOf(query).slice(0, maxTokens)
  const prefixQuery = tokens.map((token) => (token.length < 2 ? `"${token}"` : `"${token}"*`)).join(' ')
  return [...new Set([quoted(tokens), prefixQuery])].filter(Boolean).map((words) => [words, properties].filter(Boolean).join(' '))
}
