/**
 * Facts about a user, from the end of a turn. A turn claims the message before its request, so that only this turn reads the message; after a crash
 * the same turn reads it again. The batch that stores the facts ends the claim.
 */
import { sql } from 'drizzle-orm'
import { maxMemories, maxMemoryPath, memoryReadingsPerDay } from '../contract/limits.ts'
import type { ModelRequest } from '../contract/models/model-use.ts'
import type { StartTurn } from '../contract/threads/turn.ts'
import { ownerOf, withOwner } from './current-owner.ts'
import { insertRequests, threadUseStatement } from './model-use.ts'
import { type DatabaseBindings, orm, preparedOf } from './shards.ts'

type ReadingTurn = Pick<StartTurn, 'generationId' | 'userId' | 'threadId' | 'parentId'>

/** Longer ids leave no space for the number in the ids of the facts. */
const maxIdChars = 60

/** Condition on a row of `message`: it may be read for facts. It repeats the rules of the start command, because rows may have changed since. */
const isReadable = sql`message.memoryAt is null and length(message.id) <= ${maxIdChars} and message.message ->> '$.isTyped'
  and exists (select 1 from setting where setting.userId = message.userId and isMemoryOn)
  and exists (
    select 1 from thread left join project on project.id = thread.projectId and project.deletedAt is null
    where thread.id = message.threadId and thread.deletedAt is null and thread.expiresAt is null and project.isMemoryOff is not 1
  )
  and (select count(*) from memory where memory.userId = message.userId and memory.deletedAt is null) < ${maxMemories}`

/** False if another turn has claimed the message, if it may not be read, or if the readings of the day are used up. `day`: in UTC. */
export async function claimReading(env: DatabaseBindings, turn: ReadingTurn, day: number): Promise<boolean> {
  const { generationId, parentId } = turn
  const claimed = await withOwner(env, turn.userId, async (db, userId) => {
    const [message] = await orm(db).all<{ readonly id: string }>(
      sql`update message set memoryBy = ${generationId}, memoryDay = ${day}
        where id = ${parentId} and userId = ${ownerOf(userId)} and (
          memoryBy = ${generationId} or memoryBy is null and ${memoryReadingsPerDay} > (
            select count(*) from message read where read.userId = message.userId and read.memoryDay = ${day}
          )
        ) and ${isReadable} returning id`,
    )
    return message ?? null
  })
  return claimed !== null
}

type FoundMemories = { readonly texts: readonly string[]; readonly requests: readonly ModelRequest[]; readonly nowMs: number }

/** Stores the facts of a claimed message, unless it was deleted meanwhile. Returns the owner's id, or null if the reading has ended. */
export const storeMemories = (
  env: DatabaseBindings,
  turn: ReadingTurn,
  { texts, requests, nowMs }: FoundMemories,
): Promise<string | null> =>
  withOwner(env, turn.userId, async (db, userId) => {
    const { generationId, parentId, threadId } = turn
    const owner = ownerOf(userId)
    const isClaimed = sql`message.id = ${parentId} and message.userId = ${owner} and message.memoryBy = ${generationId}`
    // The small model does not know barred facts, and can find them again.
    const insertFacts = sql`with recursive above (id, parentId, deletedAt, depth) as (
        select id, parentId, deletedAt, 1 from message where id = ${parentId} and userId = ${owner}
        union all
        select message.id, message.parentId, message.deletedAt, depth + 1
          from above join message on message.id = above.parentId where depth < ${maxMemoryPath}
      )
      insert into memory (id, userId, threadId, messageId, path, text, createdAt, updatedAt)
      select message.id || '-m' || (fact.key + 1), message.userId, message.threadId, message.id,
        (select json_group_array(id) from above), fact.value, ${nowMs}, ${nowMs}
      from message, json_each(${JSON.stringify(texts)}) fact
      where ${isClaimed} and ${isReadable}
        and not exists (select 1 from memory barred where barred.userId = ${owner} and barred.deletedAt is null
          and barred.barredMakers is not null and barred.barredMakers <> '[]' and lower(barred.text) = lower(fact.value))
        and not exists (select 1 from above where deletedAt is not null) and exists (select 1 from above where parentId is null)
      on conflict (id) do nothing`
    const endReading = sql`update message set memoryAt = ${nowMs} where ${isClaimed} and memoryAt is null returning userId`
    const results = await db.batch<{ readonly userId: string }>([
      preparedOf(db, insertFacts),
      ...(requests.length > 0 ? [insertRequests(db, { generationId, userId }, 'memory', requests)] : []),
      threadUseStatement(db, { threadId, userId }, requests),
      preparedOf(db, endReading),
    ])
    return results.at(-1)?.results[0]?.userId ?? null
  })
