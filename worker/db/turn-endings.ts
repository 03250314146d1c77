/**
 * Ends a turn in D1 with one batch. The guard on `generation.status` makes the ending happen once; every other statement of the batch is
 * conditional on rows that the user may have deleted meanwhile.
 */
import { approvalLifeMs, unpaidTurnsPerDay } from '../contract/limits.ts'
import type { ModelRequest } from '../contract/models/model-use.ts'
import type { AnswerMessage, AnswerMetadata } from '../contract/threads/messages.ts'
import { dailyHolds, holdBehind } from '../contract/threads/queue-holds.ts'
import type { ApprovalRequest } from '../contract/tools/approvals.ts'
import { ownerSql, withOwner } from './current-owner.ts'
import { classifyD1Error } from './errors.ts'
import { addThreadUse, insertRequests, threadUse } from './model-use.ts'
import type { DatabaseBindings } from './shards.ts'

export type TurnEnding = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  readonly parentId: string
  readonly answer: AnswerMessage
  /** False: credits, search and research are released, unless `metadataIfCharged` applies. */
  readonly charged: boolean
  /** The cost of the turn if it is charged. The rest of its reserved credits is released. */
  readonly credits: number
  /**
   * Set for an unpaid turn: a request was sent, and the turn failed, was interrupted or only made a plan. If the day's unpaid turns are used
   * up, the turn is charged and the answer gets this metadata.
   */
  readonly metadataIfCharged?: AnswerMetadata
  /** True if a charged turn keeps the search that it was charged. */
  readonly keepsSearch: boolean
  /** True if a charged turn keeps its reserved research. */
  readonly keepsResearch: boolean
  /** `by` of the earlier payment that a charged research spends. */
  readonly spentPaymentId?: string
  /** For a thread that has none yet. */
  readonly title: string | null
  /** The answered requests to the model. */
  readonly requests: readonly ModelRequest[]
  /** The calls of the answer that wait for the user. */
  readonly approvals?: readonly ({ readonly id: string; readonly toolCallId: string } & ApprovalRequest)[]
  /** The answer that this one continues and contains. */
  readonly replacesId?: string
  readonly endedAtMs: number
}

export type EndedTurn = {
  /** The account's id if the guest was linked meanwhile. */
  readonly userId: string
  /** True if a queued message may start now or after the daily reset. */
  readonly mayStartQueued: boolean
}

/**
 * Records the ending. Returns null if the turn has already ended or its owner was deleted. Throws if the outcome is unknown; the call can
 * then be repeated.
 */
export const endTurn = (env: DatabaseBindings, turn: TurnEnding): Promise<EndedTurn | null> =>
  withOwner(env, turn.userId, (db, userId) => endTurnIn(db, { ...turn, userId }))

async function endTurnIn(db: D1Database, turn: TurnEnding): Promise<EndedTurn | null> {
  try {
    // The guarded statement comes first, so that a second ending aborts there. The requests come next: the ledger row adds
    // those that are stored to `dailyUse` by one write. Then the ledger row, because the answer's price depends on it.
    // The thread comes last: it returns whether a queued message may start, which depends on the holds.
    const results = await db.batch<{ userId: string; mayStartQueued: number }>([
      endGeneration(db, turn),
      ...(turn.requests.length > 0 ? [insertRequests(db, turn, 'answer', turn.requests)] : []),
      settleCredits(db, turn),
      releaseSearch(db, turn),
      insertAnswer(db, turn),
      ...(turn.replacesId === undefined ? [] : replaceAnswer(db, turn, turn.replacesId)),
      ...(turn.approvals?.length ? [insertApprovals(db, turn, turn.approvals)] : []),
      ...(turn.spentPaymentId === undefined ? [] : [spendPayment(db, turn, turn.spentPaymentId)]),
      holdQueue(db, turn),
      readyThread(db, turn),
    ])
    const row = results[0]?.results[0]
    return row ? { userId: row.userId, mayStartQueued: results.at(-1)?.results[0]?.mayStartQueued === 1 } : null
  } catch (error) {
    const cause = classifyD1Error(error)
    if (cause.kind === 'guard' && cause.code === 'generation_ended') return null
    throw error
  }
}

/** SQL condition: D1 contains a stop for this turn that the `Generation` object has not received. Valid before `readyThread` runs. */
const isStoppingSql = (generationId: string, threadId: string): string =>
  `exists (
     select 1 from thread where id = ${threadId} and (
       status = 'stopping' and streamId = ${generationId}
       or exists (
         select 1 from json_each(thread.compared) compared
         where compared.value ->> '$.id' = ${generationId} and (thread.status = 'stopping' or compared.value ->> '$.isStopping')
       )
     )
   )`

/** True for an interrupted turn that was not recorded as stopped; a stop in D1 then makes it stopped. */
const mayBeStopped = ({ answer, metadataIfCharged }: TurnEnding): boolean =>
  metadataIfCharged !== undefined && answer.metadata.ending === 'interrupted'

function endGeneration(db: D1Database, turn: TurnEnding): D1PreparedStatement {
  const { answer, endedAtMs, generationId, threadId, userId } = turn
  const { ending, failure } = answer.metadata
  const status = mayBeStopped(turn) ? `iif(${isStoppingSql('?4', '?6')}, 'stopped', ?1)` : '?1'
  return db
    .prepare(
      `update generation set status = ${status}, endedAt = ?2, error = ?3 where id = ?4 and userId = ${ownerSql('?5')}
       returning userId`,
    )
    .bind(ending, endedAtMs, failure?.code ?? null, generationId, userId, ...(mayBeStopped(turn) ? [threadId] : []))
}

/** SQL, valid after `settleCredits`: true if the turn was charged. */
const isChargedSql = (generationId: string): string => `exists (select 1 from creditLedger where id = ${generationId} || ':settle')`

/** Guards keep the id free (migrations/0005_turns_and_credits.sql). If a message has it all the same, the turn ends without storing the answer. */
function insertAnswer(db: D1Database, turn: TurnEnding): D1PreparedStatement {
  const { generationId, threadId, userId, parentId, answer, metadataIfCharged, endedAtMs } = turn
  const ending = mayBeStopped(turn) ? `iif(${isStoppingSql('?1', '?5')}, 'stopped', 'interrupted')` : "?7 ->> '$.ending'"
  const priced = `iif(exists (select 1 from creditLedger where id = ?1 || ':settle' and unpaid = 0),
         json_set(?3, '$.metadata', json_set(?7, '$.ending', ${ending})), ?3)`
  return db
    .prepare(
      `insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt)
       select ?1, id, userId, ?2, ${metadataIfCharged ? priced : '?3'}, ?4, ?4 from thread where id = ?5 and userId = ${ownerSql('?6')}
       on conflict (id) do nothing`,
    )
    .bind(
      generationId,
      parentId,
      JSON.stringify(answer),
      endedAtMs,
      threadId,
      userId,
      ...(metadataIfCharged ? [JSON.stringify(metadataIfCharged)] : []),
    )
}

/**
 * Removes the answer that waited for approvals: its parts are in the new answer, which takes over its approvals, links and bookmark. If the new answer
 * was not stored, the old one stays.
 */
function replaceAnswer(db: D1Database, { generationId, threadId, userId }: TurnEnding, replacedId: string): D1PreparedStatement[] {
  const isReplaced = `exists (select 1 from message where id = ?2 and threadId = ?3 and userId = ${ownerSql('?4')})
    and exists (select 1 from message where id = ?1 and threadId = ?3 and userId = ${ownerSql('?4')})`
  const statement = (sql: string) => db.prepare(`${sql} and ${isReplaced}`).bind(replacedId, generationId, threadId, userId)
  return [
    statement('update approval set messageId = ?2 where messageId = ?1'),
    statement('update share set messageId = ?2 where messageId = ?1'),
    statement('update message set bookmarkedAt = (select bookmarkedAt from message where id = ?1) where id = ?2'),
    statement('delete from message where id = ?1'),
  ]
}

const insertApprovals = (
  db: D1Database,
  { generationId, threadId, userId, endedAtMs }: TurnEnding,
  approvals: NonNullable<TurnEnding['approvals']>,
): D1PreparedStatement =>
  db
    .prepare(
      `insert into approval (id, userId, threadId, messageId, toolCallId, source, tool, title, description, digest, cause, input, inputSchema,
         form, answers, callState, createdAt, expiresAt)
       select value ->> '$.id', thread.userId, thread.id, ?2, value ->> '$.toolCallId', value -> '$.source', value ->> '$.tool',
         value ->> '$.title', value ->> '$.description', value ->> '$.digest', value ->> '$.cause', value -> '$.input', value -> '$.inputSchema',
         value -> '$.form', value -> '$.answers', value ->> '$.callState', ?5, ?5 + ${approvalLifeMs}
       from json_each(?1) join thread on thread.id = ?3 and thread.userId = ${ownerSql('?4')}
       where exists (select 1 from message where id = ?2 and threadId = ?3)`,
    )
    .bind(JSON.stringify(approvals), generationId, threadId, userId, endedAtMs)

/** Removes the payment from all other attempts at this research, deleted ones included, because those can be restored. */
const spendPayment = (db: D1Database, { generationId, threadId, userId, parentId }: TurnEnding, by: string): D1PreparedStatement =>
  db
    .prepare(
      `update message set message = json_remove(message, '$.metadata.paid')
       where threadId = ?1 and parentId = ?2 and userId = ${ownerSql('?3')} and id <> ?4 and ${isChargedSql('?4')}
         and message ->> '$.metadata.paid.by' = ?5`,
    )
    .bind(threadId, parentId, userId, generationId, by)

/** SQL, valid after `endGeneration`: the id of another turn of the thread that is still running, or null. Uses the index of a user's open turns. */
const runningSql = (userId: string, threadId: string): string =>
  `(select id from generation where userId = ${userId} and status = 'open' and threadId = ${threadId} order by rowid limit 1)`

/**
 * Makes the thread ready unless another answer of its comparison is still running. After a comparison, the head is the first answer on screen
 * that completed, or the first one if none did.
 */
function readyThread(db: D1Database, { generationId, threadId, userId, title, endedAtMs, requests }: TurnEnding): D1PreparedStatement {
  const running = runningSql('thread.userId', '?4')
  const head = `coalesce((
    select message.id from json_each(thread.compared) compared
      join message on message.id = compared.value ->> '$.id' and message.threadId = ?4 and message.deletedAt is null
    where exists (select 1 from json_each(thread.compared) own where own.value ->> '$.id' = ?1)
    order by message.message ->> '$.metadata.ending' <> 'completed', compared.key limit 1
  ), (select id from message where id = ?1 and threadId = ?4), headId)`
  return db
    .prepare(
      `update thread
       set status = iif(${running} is null, 'ready', status), streamId = ${running}, headId = iif(${running} is null, ${head}, headId),
         updatedAt = max(updatedAt, ?2), unreadAt = iif(status = 'stopping' or ${running} is not null, unreadAt, ?2),
         title = coalesce(title, ?3), ${addThreadUse(6)}
       where id = ?4 and userId = ${ownerSql('?5')} and (streamId = ?1 or ${running} is not null)
       returning status = 'ready' and exists (select 1 from queuedMessage where threadId = ?4 and ${isSentAutomaticallySql}) mayStartQueued`,
    )
    .bind(generationId, endedAtMs, title, threadId, userId, ...threadUse(requests))
}

/**
 * Holds the queue if the turn did not complete or produced a plan, because the queued messages assume another answer. This includes
 * messages held by the daily limit, which would otherwise be sent automatically. A comparison with a completed answer does not hold the
 * queue.
 */
const holdQueue = (db: D1Database, { answer, threadId, userId }: TurnEnding): D1PreparedStatement =>
  db
    .prepare(
      `update queuedMessage set hold = ?1 where threadId = ?2 and userId = ${ownerSql('?3')} and ?1 is not null
         and ${isSentAutomaticallySql} and ${runningSql('queuedMessage.userId', '?2')} is null
         and not exists (
           select 1 from thread, json_each(thread.compared) compared join generation on generation.id = compared.value ->> '$.id'
           where thread.id = ?2 and generation.status = 'completed'
         )`,
    )
    .bind(holdBehind(answer), threadId, userId)

/**
 * Settles or releases the reservation on the day of the reservation: a release after midnight must not give credits to the new day. Settling
 * releases what the turn did not use.
 * A turn that counts as stopped (`mayBeStopped`) is charged.
 */
function settleCredits(db: D1Database, turn: TurnEnding): D1PreparedStatement {
  const { charged, credits, metadataIfCharged, keepsSearch, keepsResearch, endedAtMs, generationId, threadId, userId } = turn
  return db
    .prepare(
      `insert into creditLedger (id, userId, generationId, kind, credits, search, research, day, dailyLimit, createdAt, unpaid, unpaidCredits)
       select generationId || ':' || kind, userId, generationId, kind, iif(kind = 'release', 0, min(?10, credits)) - credits,
         iif(kind = 'settle' and ?5, 0, -search), iif(kind = 'settle' and ?6, 0, -research), day, null, ?2, isUnpaid,
         iif(isUnpaid, min(?10, credits), null)
       from (
         select *, iif(?1 or ?7 and not isUnpaid, 'settle', 'release') kind
         from (
           select userId, generationId, credits, search, research, day,
             ?7 and not (?8 and ${isStoppingSql('generationId', '?9')})
               and (select coalesce(sum(unpaid), 0) from creditLedger ended where ended.userId = reservation.userId and ended.day = reservation.day and ended.unpaid > 0)
                 < ${unpaidTurnsPerDay} isUnpaid
           from creditLedger reservation where id = ?3 || ':reserve' and userId = ${ownerSql('?4')}
         )
       )`,
    )
    .bind(
      charged ? 1 : 0,
      endedAtMs,
      generationId,
      userId,
      keepsSearch ? 1 : 0,
      keepsResearch ? 1 : 0,
      metadataIfCharged ? 1 : 0,
      mayBeStopped(turn) ? 1 : 0,
      threadId,
      credits,
    )
}

/** Gives back the search that the turn was charged, on its day, unless the turn keeps it. Follows `settleCredits`. */
const releaseSearch = (db: D1Database, { keepsSearch, endedAtMs, generationId, userId }: TurnEnding): D1PreparedStatement =>
  db
    .prepare(
      `insert into creditLedger (id, userId, generationId, kind, credits, search, day, createdAt)
       select id || ':release', userId, generationId, 'release', 0, -search, day, ?1
       from creditLedger where id = ?2 || ':search' and userId = ${ownerSql('?3')} and not (?4 and ${isChargedSql('?2')})`,
    )
    .bind(endedAtMs, generationId, userId, keepsSearch ? 1 : 0)

/**
 * Condition on a row of `queuedMessage`: the message is sent automatically, immediately or after the daily reset. The holds are constants,
 * so they are inlined.
 */
export const isSentAutomaticallySql = `(hold is null or hold in (${dailyHolds.map((hold) => `'${hold}'`).join(', ')}))`
