/** Find in one thread: counts the occurrences in a message and in those above it, in slices (SPEC L7). */
import { type FindInThread, type FoundInThread, occurrencesOf, shownText } from '../contract/find-in-thread.ts'
import type { ChatMessage } from '../contract/messages.ts'
import type { Sql } from '../sync/engine/types.ts'

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
