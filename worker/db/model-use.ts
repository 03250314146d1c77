/**
 * What turns used at the providers of their models, in D1. `modelRequest` has the requests, `thread` their sums, and a trigger keeps the sums
 * of each day. These statements are not idempotent alone. The request ids make a repeated batch fail.
 */
import { type SQL, sql } from 'drizzle-orm'
import { type ModelRequest, tokensOf, totalUse } from '../contract/models/model-use.ts'
import { ownerSql } from './current-owner.ts'
import { dailyModelUse, dailyUse } from './tables/user-content.ts'

/**
 * Inserts nothing if the turn does not exist. The ids name the purpose. The column has `title` for all small requests besides the answer, because its
 * check has no value for the others.
 */
export const insertRequests = (
  db: D1Database,
  { generationId, userId }: { readonly generationId: string; readonly userId: string },
  purpose: 'answer' | 'title' | 'memory',
  requests: readonly ModelRequest[],
): D1PreparedStatement =>
  db
    .prepare(
      `insert into modelRequest (id, userId, generationId, purpose, day, model, provider,
         inputTokens, cachedInputTokens, outputTokens, reasoningTokens, microDollars)
       select generation.id || ':' || ?3 || ':' || (key + 1), userId, generation.id, iif(?3 = 'answer', ?3, 'title'), day, value ->> '$.model', value ->> '$.provider',
         value ->> '$.inputTokens', value ->> '$.cachedInputTokens', value ->> '$.outputTokens', value ->> '$.reasoningTokens',
         value ->> '$.microDollars'
       from generation, json_each(?4) where generation.id = ?1 and userId = ${ownerSql('?2')}`,
    )
    .bind(generationId, userId, purpose, JSON.stringify(requests))

/** Assignments of a statement on `thread`. `threadUse` returns their values, from parameter `first` on. */
export const addThreadUse = (first: number): string =>
  ['tokens', 'microDollars', 'unpriced'].map((column, index) => plus(column, `?${first + index}`)).join(', ')

const plus = (column: string, value: string) => `${column} = iif(${value} is null, ${column}, coalesce(${column}, 0) + ${value})`

export function threadUse(requests: readonly ModelRequest[]): readonly (number | null)[] {
  const sum = totalUse(requests)
  return sum ? [tokensOf(sum), sum.microDollars, sum.unpriced || null] : [null, null, null]
}

/** Adds the requests to the sums of the thread. */
export const threadUseStatement = (
  db: D1Database,
  { threadId, userId }: { readonly threadId: string; readonly userId: string },
  requests: readonly ModelRequest[],
): D1PreparedStatement =>
  db
    .prepare(`update thread set ${addThreadUse(3)} where id = ?1 and userId = ${ownerSql('?2')}`)
    .bind(threadId, userId, ...threadUse(requests))

const sums = ['requests', 'unpriced', 'inputTokens', 'cachedInputTokens', 'outputTokens', 'reasoningTokens', 'microDollars'] as const

/** Adds the daily sums of a user to those of another; '' collects those of deleted users. The same batch deletes the user's own rows. */
export const addDailyUse = (fromUserId: string, toUserId: string, condition: SQL = sql`true`): SQL =>
  sql`insert into ${dailyModelUse} (day, userId, model, provider, ${sql.raw(sums.join(', '))})
    select day, ${toUserId}, model, provider, ${sql.raw(sums.join(', '))} from ${dailyModelUse} where userId = ${fromUserId} and ${condition}
    on conflict (day, userId, model, provider) do update set ${sql.raw(sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', '))}`

/** Adds the use of a guest to that of the account. The ids begin with the id of the user. The same batch deletes the guest's own rows. */
export const addUseByProject = (guestId: string, accountId: string, condition: SQL): SQL =>
  sql`insert into ${dailyUse} (id, userId, day, modelId, projectId, credits, searches, tokens, microDollars, unpriced)
    select ${accountId} || substr(id, length(${guestId}) + 1), ${accountId}, day, modelId, projectId, credits, searches, tokens, microDollars, unpriced
      from ${dailyUse} where userId = ${guestId} and ${condition}
    on conflict (id) do update set ${sql.raw(['credits', 'searches', 'tokens', 'microDollars', 'unpriced'].map((name) => `${name} = ${name} + excluded.${name}`).join(', '))}`
