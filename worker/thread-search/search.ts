/** Search in messages: the newest candidates of the index, checked in their texts (SPEC L1, L3, L4). */
import { excerptOf, type FindRequest, type FoundMessage, type FoundMessages, withoutMarks, wordsOf } from '../contract/found-text.ts'
import { maxFoundThreads } from '../contract/limits.ts'
import { type ChatMessage, textOf } from '../contract/messages.ts'
import { type Bucket, type BucketLimit, refilled } from '../lib/token-bucket.ts'
import type { Sql } from '../sync/engine/types.ts'
import type { UserState } from '../sync/state/user-state.ts'
import { isCurrent, takeIn } from './index-tables.ts'
import { indexQuestions } from './words.ts'

/** Chosen: what one search reads: candidates, messages between them and the head, and their texts. The largest message fits. */
export const searchBudget = { rows: 5000, bytes: 2_000_000 }
/** Candidates that are read together: the first few are mostly enough. */
const stepCandidates = 100

export type Searched = { readonly state: UserState; readonly userId: string; readonly isImporting: boolean }
/** Runs a step under the lock. False when the object was emptied. */
export type InLine = (step: () => boolean) => Promise<boolean>

/** Null when the object was emptied. */
export async function searchMessages(searched: Searched, asked: FindRequest, inLine: InLine): Promise<FoundMessages | null> {
  const { state, userId } = searched
  const answer = (): FoundMessages => ({ ...findMessages(state.sql, userId, asked), isComplete: !searched.isImporting })
  // Mostly the index is current, and the search does not wait.
  if (isCurrent(state)) return answer()
  const answers: FoundMessages[] = []
  const step = () => {
    const isMore = takeIn(state)
    // In the task of the last slice: the next task may make the index stale.
    if (!isMore) answers.push(answer())
    return isMore
  }
  while (await inLine(step));
  return answers[0] ?? null
}

type Found = Pick<FoundMessages, 'found' | 'isCut'>

/** One message per thread, the newest; whole words before beginnings of words. */
export function findMessages(sql: Sql, userId: string, { query, without }: FindRequest): Found {
  const words = wordsOf(query)
  const questions = indexQuestions(query)
  const found = new Map<string, FoundMessage>()
  const inSight = new Map<string, ReadonlySet<string>>()
  const read = new Set<string>()
  const remaining = { ...searchBudget }
  // One more than the limit, to detect that there are more.
  const isEnough = () => remaining.rows < 0 || found.size > maxFoundThreads
  // The index can contain no word of the request.
  let isCut = questions.length === 0
  for (const docids of nominated(sql, questions)) {
    remaining.rows -= docids.length
    for (const { id, threadId, title, headId, bytes } of candidatesAmong(sql, userId, docids, [...without, ...found.keys()])) {
      if (isEnough()) break
      if (found.has(threadId) || read.has(id)) continue
      read.add(id)
      const path = inSight.get(threadId) ?? pathTo(sql, headId, remaining.rows + 1)
      if (!inSight.has(threadId)) remaining.rows -= path.size
      inSight.set(threadId, path)
      if (!path.has(id)) continue
      if (bytes > remaining.bytes) {
        isCut = true
        continue
      }
      remaining.bytes -= bytes
      const excerpt = excerptIn(sql, id, words)
      if (excerpt !== null) found.set(threadId, { threadId, messageId: id, title, excerpt })
    }
    if (isEnough()) {
      isCut = true
      break
    }
  }
  return { found: [...found.values()].slice(0, maxFoundThreads), isCut }
}

/**
 * Candidates for each query, newest first, in steps. After the first step all others are read together: for beginnings of words the index
 * merges many lists, each time it is asked.
 */
function* nominated(sql: Sql, questions: readonly string[]): Generator<readonly number[]> {
  for (const question of questions) {
    let before = Number.MAX_SAFE_INTEGER
    for (const limit of [stepCandidates, searchBudget.rows]) {
      const next = sql.all<{ docid: number }>(
        'select rowid docid from search_text where search_text match ? and rowid < cast(? as integer) order by rowid desc limit ?',
        ...[question, before, limit],
      )
      const docids = next.map(({ docid }) => docid)
      for (let at = 0; at < docids.length; at += stepCandidates) yield docids.slice(at, at + stepCandidates)
      if (docids.length < limit) break
      before = docids.at(-1) ?? 0
    }
  }
}

type Candidate = {
  readonly id: string
  readonly threadId: string
  readonly title: string | null
  readonly headId: string | null
  readonly bytes: number
}

const candidatesAmong = (sql: Sql, userId: string, docids: readonly number[], without: readonly string[]): readonly Candidate[] =>
  sql.all<Candidate>(
    `select m.id, m.threadId, t.title, t.headId, octet_length(m.message) bytes
     from json_each(?) c join search_message s on s.docid = c.value join message m on m.id = s.id join thread t on t.id = m.threadId
     where t.userId = ? and t.deletedAt is null and t.id not in (select value from json_each(?)) order by s.docid desc`,
    ...[JSON.stringify(docids), userId, JSON.stringify(without)],
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

function excerptIn(sql: Sql, id: string, words: readonly string[]): string | null {
  const row = sql.all<{ message: string }>('select message from message where id = ?', id)[0]
  // Stored by the engine, from a row that the contract describes.
  return row ? excerptOf(words, withoutMarks(textOf(JSON.parse(row.message) as ChatMessage))) : null
}

/** The searches of one object: limited per second, and of those that wait for the index only the newest continues (SPEC L4). */

/** Chosen: a page searches a moment after the last key, so typing does not reach this limit. */
export const searchLimit: BucketLimit = { burst: 30, perSecond: 3 }

export class ThreadSearch {
  /** In memory: before hibernation the object was idle for ten seconds, and the bucket fills in that time. */
  #bucket: Bucket | null = null
  #newest = 0

  async run(searched: Searched, asked: FindRequest, inLine: InLine, nowMs: number): Promise<FoundMessages | 'rate_limited'> {
    const bucket = refilled(this.#bucket, searchLimit, nowMs)
    if (bucket.tokens < 1) return 'rate_limited'
    this.#bucket = { ...bucket, tokens: bucket.tokens - 1 }
    this.#newest += 1
    const mine = this.#newest
    const isNewest = () => mine === this.#newest
    const found = await searchMessages(searched, asked, (step) => inLine(() => isNewest() && step()))
    if (found) return found
    return isNewest() ? { found: [], isComplete: false, isCut: false } : 'rate_limited'
  }
}
