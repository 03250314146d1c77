/** The summaries of long threads in D1. */
import { and, eq, sql } from 'drizzle-orm'
import { ownerOf, withOwner } from './current-owner.ts'
import { type DatabaseBindings, orm, runBatch } from './shards.ts'
import { message, summary } from './tables/threads.ts'

/** `id`: the last message that it covers. */
export type NewSummary = {
  readonly id: string
  readonly userId: string
  readonly threadId: string
  readonly text: string
  readonly tokens: number
}

/**
 * Stores a summary unless the message has one, as another turn of a comparison may have written it. Returns the text that is stored and the
 * owner. Null if the message does not exist any more.
 */
export const storeSummary = (
  env: DatabaseBindings,
  { id, userId, threadId, text, tokens }: NewSummary,
  nowMs: number,
): Promise<{ readonly text: string; readonly userId: string } | null> =>
  withOwner(env, userId, async (content, owner) => {
    await runBatch(content, [
      sql`insert into ${summary} (id, userId, threadId, text, tokens, createdAt)
        select id, userId, threadId, ${text}, ${tokens}, ${nowMs} from ${message}
        where id = ${id} and threadId = ${threadId} and userId = ${ownerOf(owner)}
        on conflict (id) do nothing`,
    ])
    const [stored] = await orm(content)
      .select({ text: summary.text, userId: summary.userId })
      .from(summary)
      .where(and(eq(summary.id, id), eq(summary.userId, ownerOf(owner))))
    return stored ?? null
  })
