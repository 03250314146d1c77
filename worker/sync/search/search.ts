/** What was said, by its words: the newest of the messages that the index nominates, asked themselves (SPEC L1, L3, L4). */
import { excerptOf, type FindRequest, type FoundMessage, type FoundMessages, withoutMarks, wordsOf } from '../../contract/found-text.ts'
import { maxFoundThreads } from '../../contract/limits.ts'
import { type ChatMessage, textOf } from '../../contract/messages.ts'
import type { Sql } from '../engine/types.ts'
import type { UserState } from '../user-state.ts'
import { isCurrent, takeIn } from './index-tables.ts'
import { indexQuestions } from './tokens.ts'

/** Ours: what one search looks at, whatever it asks for: messages nominated or on the way to one, and of their texts. The largest fits. */
export const searchBudget = { rows: 5000, bytes: 2_000_000 }
/** Candidates whose rows are read at once: the first few are enough most of the time. */
const stepCandidates = 100

export type Searched = { readonly state: UserState; readonly userId: string; readonly isImporting: boolean }
/** Runs a step when its turn comes, and answers false when there is nobody to run it for any more. */
export type InLine = (step: () => boolean) => Promise<boolean>

/** Null when there is nobody to answer any more. */
export async function searchMessages(searched: Searched, asked: FindRequest, inLine: InLine): Promise<FoundMessages | null> {
  const { state, userId } = searched
  const answer = (): FoundMessages => ({ ...findMessages(state.sql, userId, asked), isComplete: !searched.isImporting })
  // Most of the time nothing is new, and nobody is waited for.
  if (isCurrent(state)) return answer()
  const answers: FoundMessages[] = []
  const step = () => {
    const isMore = takeIn(state)
    // In the turn that takes in the last of it: what the next in line writes would make the index old again.
    if (!isMore) answers.push(answer())
    return isMore
  }
  while (await inLine(step));
  return answers[0] ?? null
}

type Found = Pick<FoundMessages, 'found' | 'isCut'>

/** One message of a thread, the newest; those that say the words whole before those in which one only begins so. */
export function findMessages(sql: Sql, userId: string, { query, without }: FindRequest): Found {
  const words = wordsOf(query)
  const questions = indexQuestions(query)
  const found = new Map<string, FoundMessage>()
  const inSight = new Map<string, ReadonlySet<string>>()
  const read = new Set<string>()
  const left = { ...searchBudget }
  // One more than is wanted, to know that there is more.
  const isEnough = () => left.rows < 0 || found.size > maxFoundThreads
  // Nothing that the index knows is looked for.
  let isCut = questions.length === 0
  for (const docids of nominated(sql, questions)) {
    left.rows -= docids.length
    for (const { id, threadId, title, headId, bytes } of candidatesAmong(sql, userId, docids, [...without, ...found.keys()])) {
      if (isEnough()) break
      if (found.has(threadId) || read.has(id)) continue
      read.add(id)
      const path = inSight.get(threadId) ?? pathTo(sql, headId, left.rows + 1)
      if (!inSight.has(threadId)) left.rows -= path.size
      inSight.set(threadId, path)
      if (!path.has(id)) continue
      if (bytes > left.bytes) {
        isCut = true
        continue
      }
      left.bytes -= bytes
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
 * What the index has for a question, the newest first, a step at a time; then for the next. All beyond the first step is asked for at once:
 * for beginnings of words the index makes one list of many, each time it is asked.
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

/** The branch on show, as far up as nothing is deleted: what a page of the thread shows. Of a longer one its end. */
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
