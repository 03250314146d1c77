/** Finds messages in the index: the newest candidates, checked in their texts (SPEC L1). */

import { maxFoundThreads } from '../contract/limits.ts'
import { type FindInThread, type FoundInThread, occurrencesOf, shownText } from '../contract/threads/find-in-thread.ts'
import type { ChatMessage } from '../contract/threads/messages.ts'
import {
  excerptIn,
  type FoundMessage,
  type FoundMessages,
  type SearchFilter,
  type SearchRequest,
  wordsOf,
} from '../contract/threads/search.ts'
import type { Sql } from '../sync/engine/types.ts'
import { docidOf, indexQueriesOf } from './index-tables.ts'

/** Chosen: what one search reads: candidates, messages between them and the head, and their texts. The largest message fits. */
export const searchBudget = { rows: 5000, bytes: 2_000_000 }
/** Chosen: candidates that are checked together. */
const stepCandidates = 100
/** Chosen: the first read of the index mostly has enough threads. A second one reads all others. */
const firstCandidates = 500

type Found = Pick<FoundMessages, 'found' | 'isCut'>

/** One part of a search: index queries, the threads to search (null: all), and the words that a message must have. */
type Part = { readonly indexQueries: readonly string[]; readonly within: readonly string[] | null; readonly words: readonly string[] }

/** One message per thread, the newest; whole words before beginnings of words, and threads found by their titles last. */
export function findMessages(sql: Sql, userId: string, request: SearchRequest): Found {
  const { filter, without: excludedThreadIds } = request
  const parts = partsOf(sql, userId, request)
  const found = new Map<string, FoundMessage>()
  const visiblePaths = new Map<string, ReadonlySet<string>>()
  const remaining = { ...searchBudget }
  // One more than the limit, to detect that there are more.
  const isEnough = () => remaining.rows < 0 || found.size > maxFoundThreads
  // The index can contain no word of the request.
  let isCut = parts.some(({ indexQueries }) => indexQueries.length === 0)
  for (const part of parts) {
    const read = new Set<string>()
    for (const docids of candidateDocids(sql, part, filter)) {
      remaining.rows -= docids.length
      for (const { id, threadId, title, headId, bytes } of candidatesAmong(sql, userId, docids, [...excludedThreadIds, ...found.keys()])) {
        if (isEnough()) break
        if (found.has(threadId) || read.has(id)) continue
        read.add(id)
        const path = visiblePaths.get(threadId) ?? pathTo(sql, headId, remaining.rows + 1)
        if (!visiblePaths.has(threadId)) remaining.rows -= path.size
        visiblePaths.set(threadId, path)
        if (!path.has(id)) continue
        if (bytes > remaining.bytes) {
          isCut = true
          continue
        }
        remaining.bytes -= bytes
        const excerpt = readExcerpt(sql, id, part.words, filter)
        if (excerpt !== null) found.set(threadId, { threadId, messageId: id, title, excerpt })
      }
      if (isEnough()) return { found: [...found.values()].slice(0, maxFoundThreads), isCut: true }
    }
  }
  return { found: [...found.values()], isCut }
}

/**
 * Messages with the words, then any message of a thread whose title has the words. The page excludes the titles that it shows. It shows no
 * archived threads, so these come first.
 */
function partsOf(sql: Sql, userId: string, { query, filter, without: excludedThreadIds }: SearchRequest): readonly Part[] {
  const words = wordsOf(query)
  const ids = (threads: readonly TitledThread[]) => threads.map(({ id }) => id)
  const inProject = filter.projectId === undefined ? null : threadsOf(sql, userId, filter.projectId)
  const byText = { indexQueries: indexQueriesOf(query, filter), within: inProject && ids(inProject), words }
  if (words.length === 0) return [byText]
  const excluded = new Set(excludedThreadIds)
  const titled = (inProject ?? threadsOf(sql, userId, null)).filter(({ id, title }) => !excluded.has(id) && hasEvery(words, title ?? ''))
  const byTitle = [titled.filter(({ archivedAt }) => archivedAt !== null), titled.filter(({ archivedAt }) => archivedAt === null)]
    .filter((threads) => threads.length > 0)
    .map((threads) => ({ indexQueries: indexQueriesOf('', filter), within: ids(threads), words: [] }))
  return [byText, ...byTitle]
}

type TitledThread = { readonly id: string; readonly title: string | null; readonly archivedAt: number | null }

const threadsOf = (sql: Sql, userId: string, projectId: string | null): readonly TitledThread[] =>
  sql.all<TitledThread>(
    `select id, title, archivedAt from thread where userId = ? and deletedAt is null and expiresAt is null ${projectId === null ? '' : 'and projectId = ?'}`,
    ...[userId, ...(projectId === null ? [] : [projectId])],
  )

const hasEvery = (words: readonly string[], text: string): boolean => {
  const folded = text.toLowerCase()
  return words.every((word) => folded.includes(word))
}

/**
 * Candidates for each query, newest first, in steps. At most two index reads per query: a prefix query merges its lists again each time, and
 * a query within threads collects their messages again each time.
 */
function* candidateDocids(sql: Sql, { indexQueries, within }: Part, { sinceMs, untilMs }: SearchFilter): Generator<readonly number[]> {
  // The messages of a few threads are mostly from a short time, so that the index reads few rows.
  const { first, last } = within === null ? { first: 0, last: Number.MAX_SAFE_INTEGER } : docidsOf(sql, within)
  const from = Math.max(first, docidOf(sinceMs ?? 0))
  const end = Math.min(last + 1, untilMs === undefined ? Number.MAX_SAFE_INTEGER : docidOf(untilMs))
  // The plus keeps SQLite from asking the index once for each message of the threads.
  const isWithin = 'and +rowid in (select s.docid from json_each(?) t join search_message s on s.threadId = t.value)'
  for (const indexQuery of indexQueries) {
    let before = end
    for (const limit of [firstCandidates, searchBudget.rows]) {
      const next = sql.all<{ docid: number }>(
        `select rowid docid from search_text where search_text match ? and rowid >= cast(? as integer) and rowid < cast(? as integer)
         ${within === null ? '' : isWithin} order by rowid desc limit ?`,
        ...[indexQuery, from, before, ...(within === null ? [] : [JSON.stringify(within)]), limit],
      )
      const docids = next.map(({ docid }) => docid)
      for (let at = 0; at < docids.length; at += stepCandidates) yield docids.slice(at, at + stepCandidates)
      if (docids.length < limit) break
      before = docids.at(-1) ?? 0
    }
  }
}

/** Returns `first` > `last` for threads without messages. */
function docidsOf(sql: Sql, threads: readonly string[]): { readonly first: number; readonly last: number } {
  const [range] = sql.all<{ first: number | null; last: number | null }>(
    'select min(s.docid) first, max(s.docid) last from json_each(?) t join search_message s on s.threadId = t.value',
    JSON.stringify(threads),
  )
  return { first: range?.first ?? 0, last: range?.last ?? -1 }
}

type Candidate = {
  readonly id: string
  readonly threadId: string
  readonly title: string | null
  readonly headId: string | null
  readonly bytes: number
}

const candidatesAmong = (sql: Sql, userId: string, docids: readonly number[], excludedThreadIds: readonly string[]): readonly Candidate[] =>
  sql.all<Candidate>(
    `select m.id, m.threadId, t.title, t.headId, octet_length(m.message) bytes
     from json_each(?) c join search_message s on s.docid = c.value join message m on m.id = s.id join thread t on t.id = m.threadId
     where t.userId = ? and t.deletedAt is null and t.expiresAt is null and t.id not in (select value from json_each(?)) order by s.docid desc`,
    ...[JSON.stringify(docids), userId, JSON.stringify(excludedThreadIds)],
  )

/** The visible branch, up to the first deleted message, as the page shows it; the end of a longer one. */
function pathTo(sql: Sql, headId: string | null, maxRows: number): ReadonlySet<string> {
  const path = sql.all<{ id: string }>(
    `with recursive up (id, parentId) as (
       select id, parentId from message where id = ? and deletedAt is null
       union select m.id, m.parentId from up join message m on m.id = up.parentId where m.deletedAt is null limit ?
     ) select id from up`,
    ...[headId, maxRows],
  )
  return new Set(path.map(({ id }) => id))
}

function readExcerpt(sql: Sql, id: string, words: readonly string[], filter: SearchFilter): string | null {
  const row = sql.all<{ message: string; createdAt: number | null }>('select message, createdAt from message where id = ?', id)[0]
  // Stored by the engine, from a row that the contract describes.
  return row ? excerptIn(JSON.parse(row.message) as ChatMessage, row.createdAt ?? 0, words, filter) : null
}

/** Chosen: one request blocks the object for well below 100 ms, whatever the text. The page repeats requests up to the first message. */
export const findBudget = { rows: 1000, bytes: 1_000_000 }

export function findInThread(sql: Sql, userId: string, { threadId, messageId, query }: FindInThread): FoundInThread {
  const ids = pathUp(sql, userId, threadId, messageId)
  const found: { messageId: string; count: number }[] = []
  let bytes = 0
  for (const [at, id] of ids.entries()) {
    const text = sql.all<{ message: string }>('select message from message where id = ?', id)[0]?.message ?? ''
    bytes += text.length
    // The first message of a slice is read whatever its size.
    if (at === findBudget.rows || (at > 0 && bytes > findBudget.bytes)) return { found, next: id }
    // Stored by the engine, from a row that the contract describes.
    const count = occurrencesOf(query, shownText(JSON.parse(text) as ChatMessage)).length
    if (count > 0) found.push({ messageId: id, count })
  }
  return { found, next: null }
}

/** Up to the first message or the first deleted one, as the page shows it. Empty if the user has no such message. */
const pathUp = (sql: Sql, userId: string, threadId: string, messageId: string): readonly string[] =>
  sql
    .all<{ id: string }>(
      `with recursive up (id, parentId) as (
         select m.id, m.parentId from message m join thread t on t.id = m.threadId
           where m.id = ? and t.id = ? and t.userId = ? and t.deletedAt is null and m.deletedAt is null
         union select m.id, m.parentId from up join message m on m.id = up.parentId where m.deletedAt is null limit ?
       ) select id from up`,
      ...[messageId, threadId, userId, findBudget.rows + 1],
    )
    .map(({ id }) => id)
