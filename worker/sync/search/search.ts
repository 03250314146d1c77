/** What was said, by its words: a few of the newest messages that the index nominates, asked themselves (SPEC L1, L3). */
import { excerptOf, type FoundMessage, type FoundMessages, withoutMarks, wordsOf } from '../../contract/found-text.ts'
import { maxFoundThreads } from '../../contract/limits.ts'
import { type ChatMessage, textOf } from '../../contract/messages.ts'
import type { Sql } from '../engine/types.ts'
import type { UserState } from '../user-state.ts'
import { isCurrent, takeIn } from './index-tables.ts'
import { indexQuestions } from './tokens.ts'

/** Ours: what of a question is looked at, whatever it asks for. */
const maxCandidates = 200
/** Candidates whose rows are read at once: the first few are enough most of the time. */
const stepCandidates = 25

type Searched = { readonly state: UserState; readonly userId: string; readonly isImporting: boolean }

/** `inLine` runs a step when its turn comes, and answers false when there is nobody to run it for any more. */
export async function searchMessages(
  { state, userId, isImporting }: Searched,
  query: string,
  inLine: (step: () => boolean) => Promise<boolean>,
): Promise<FoundMessages> {
  // Most of the time nothing is new, and nobody is waited for.
  if (!isCurrent(state)) while (await inLine(() => takeIn(state)));
  return { found: isCurrent(state) ? findMessages(state.sql, userId, query) : [], isComplete: !isImporting }
}

type Candidate = { readonly id: string; readonly threadId: string; readonly title: string | null; readonly headId: string | null }

/** One message of a thread, the newest first; those that say the words whole before those in which one only begins so. */
export function findMessages(sql: Sql, userId: string, query: string): readonly FoundMessage[] {
  const words = wordsOf(query)
  const found = new Map<string, FoundMessage>()
  const inSight = new Map<string, ReadonlySet<string>>()
  const read = new Set<string>()
  for (const question of indexQuestions(query)) {
    const candidates = sql.all<{ docid: number }>(
      'select rowid docid from search_text where search_text match ? order by rowid desc limit ?',
      ...[question, maxCandidates],
    )
    for (let at = 0; at < candidates.length; at += stepCandidates) {
      const docids = candidates.slice(at, at + stepCandidates).map(({ docid }) => docid)
      for (const { id, threadId, title, headId } of messagesOf(sql, userId, docids)) {
        if (found.has(threadId) || read.has(id)) continue
        read.add(id)
        const path = inSight.get(threadId) ?? pathTo(sql, headId)
        inSight.set(threadId, path)
        const excerpt = path.has(id) ? excerptIn(sql, id, words) : null
        if (excerpt !== null) found.set(threadId, { threadId, title, excerpt })
        if (found.size === maxFoundThreads) return [...found.values()]
      }
    }
  }
  return [...found.values()]
}

const messagesOf = (sql: Sql, userId: string, docids: readonly number[]): readonly Candidate[] =>
  sql.all<Candidate>(
    `select m.id, m.threadId, t.title, t.headId
     from json_each(?) c join search_message s on s.docid = c.value join message m on m.id = s.id join thread t on t.id = m.threadId
     where t.userId = ? and t.deletedAt is null order by s.docid desc`,
    ...[JSON.stringify(docids), userId],
  )

/** The branch on show, as far up as nothing is deleted: what a page of the thread shows. */
function pathTo(sql: Sql, headId: string | null): ReadonlySet<string> {
  const path = sql.all<{ id: string }>(
    `with recursive up (id, parentId) as (
       select id, parentId from message where id = ? and deletedAt is null
       union select m.id, m.parentId from up join message m on m.id = up.parentId where m.deletedAt is null
     ) select id from up`,
    headId,
  )
  return new Set(path.map(({ id }) => id))
}

function excerptIn(sql: Sql, id: string, words: readonly string[]): string | null {
  const row = sql.all<{ message: string }>('select message from message where id = ?', id)[0]
  // Stored by the engine, from a row that the contract describes.
  return row ? excerptOf(words, withoutMarks(textOf(JSON.parse(row.message) as ChatMessage))) : null
}
