/**
 * A turn's one ending in D1, written in one batch, and what the stream route and a recovering generation must know of a turn.
 * The guard on `generation.status` makes the ending happen once, whoever writes it and however often; every other statement of the batch
 * is conditional on rows that the turn's owner may have deleted meanwhile.
 */
import type { AnswerMessage } from '../contract/messages.ts'
import type { TurnMode } from '../contract/modes.ts'
import { holdBehind } from '../contract/queue-holds.ts'
import { classifyD1Error } from './errors.ts'
import { ownerSql } from './hand-over.ts'
import { beginsItselfSql } from './queued.ts'
import { contentDb, type DatabaseBindings, directoryDb } from './shards.ts'

export type TurnEnding = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  readonly parentId: string
  readonly answer: AnswerMessage
  /** False when nothing was produced: the reserved credits are given back. */
  readonly charged: boolean
  /** False when no search succeeded, or the answer went wrong without a word: a reserved search is given back. */
  readonly searched: boolean
  /** False when a research owes its person the report, or was only a plan: a reserved research is given back. */
  readonly researched: boolean
  /** The payment for a research of which this answer has made something (`by`); absent when it went on with none. */
  readonly spent?: string
  /** For a thread that has none yet. */
  readonly title: string | null
  readonly endedAtMs: number
}

export type EndedTurn = {
  /** Whose it is: the account's, when the guest who asked has become one. */
  readonly userId: string
  /** Whether a queued message may begin behind it, now or when the day's limits have room. */
  readonly isFollowed: boolean
}

/**
 * Writes the ending. Null when there is nothing to end: it had
 * ended before, or its owner is gone. Throws when the outcome is unknown, and then the same call may be made again.
 */
export async function endTurn(env: DatabaseBindings, turn: TurnEnding): Promise<EndedTurn | null> {
  const db = contentDb(env, turn.userId)
  try {
    // The guarded statement comes first, so that a second ending stops there and not at the message that exists already.
    const [guarded] = await db.batch<{ userId: string; queued: number }>([
      endGeneration(db, turn),
      insertAnswer(db, turn),
      ...(turn.spent === undefined ? [] : [spendPayment(db, turn, turn.spent)]),
      readyThread(db, turn),
      settleCredits(db, turn),
      holdQueue(db, turn),
    ])
    const row = guarded?.results[0]
    return row ? { userId: row.userId, isFollowed: row.queued === 1 && holdBehind(turn.answer) === null } : null
  } catch (error) {
    const cause = classifyD1Error(error)
    if (cause.kind === 'guard' && cause.code === 'generation_ended') return null
    throw error
  }
}

function endGeneration(db: D1Database, { answer, endedAtMs, generationId, threadId, userId }: TurnEnding): D1PreparedStatement {
  const { ending, failure } = answer.metadata
  return db
    .prepare(
      `update generation set status = ?1, endedAt = ?2, error = ?3 where id = ?4 and userId = ${ownerSql('?5')}
       returning userId, exists (select 1 from queuedMessage where threadId = ?6 and ${beginsItselfSql}) queued`,
    )
    .bind(ending, endedAtMs, failure?.code ?? null, generationId, userId, threadId)
}

/** Ids of messages come from browsers. One that took the answer's own must not keep the turn from ending: then there is no answer. */
function insertAnswer(db: D1Database, { generationId, threadId, userId, parentId, answer, endedAtMs }: TurnEnding): D1PreparedStatement {
  return db
    .prepare(
      `insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt)
       select ?1, id, userId, ?2, ?3, ?4, ?4 from thread where id = ?5 and userId = ${ownerSql('?6')}
       on conflict (id) do nothing`,
    )
    .bind(generationId, parentId, JSON.stringify(answer), endedAtMs, threadId, userId)
}

/** No other attempt at this research is paid any more. They answer one question, also those that were deleted and may come back. */
const spendPayment = (db: D1Database, { generationId, threadId, userId, parentId }: TurnEnding, by: string): D1PreparedStatement =>
  db
    .prepare(
      `update message set message = json_remove(message, '$.metadata.paid')
       where threadId = ?1 and parentId = ?2 and userId = ${ownerSql('?3')} and id <> ?4
         and message ->> '$.metadata.paid.by' = ?5`,
    )
    .bind(threadId, parentId, userId, generationId, by)

function readyThread(db: D1Database, { generationId, threadId, userId, title, endedAtMs }: TurnEnding): D1PreparedStatement {
  return db
    .prepare(
      `update thread
       set status = 'ready', streamId = null, updatedAt = max(updatedAt, ?2), title = coalesce(title, ?3),
         headId = iif(exists (select 1 from message where id = ?1 and threadId = ?4), ?1, headId)
       where id = ?4 and userId = ${ownerSql('?5')} and streamId = ?1`,
    )
    .bind(generationId, endedAtMs, title, threadId, userId)
}

/**
 * What waits behind a turn that did not end by itself waits for the person: it was written in the hope of another answer, and what came of
 * this one could not be continued behind it, as a plan could not be started. So does what the day's limits held, which would go on by
 * itself otherwise.
 */
const holdQueue = (db: D1Database, { answer, threadId, userId }: TurnEnding): D1PreparedStatement =>
  db
    .prepare(
      `update queuedMessage set hold = ?1 where threadId = ?2 and userId = ${ownerSql('?3')} and ?1 is not null
         and ${beginsItselfSql}`,
    )
    .bind(holdBehind(answer), threadId, userId)

/** What was held, on the day it was held: a release after midnight would give away credits of the new day. */
function settleCredits(
  db: D1Database,
  { charged, searched, researched, endedAtMs, generationId, userId }: TurnEnding,
): D1PreparedStatement {
  return db
    .prepare(
      `insert into creditLedger (id, userId, generationId, kind, credits, search, research, day, dailyLimit, createdAt)
       select generationId || ':' || ?1, userId, generationId, ?1, iif(?1 = 'release', -credits, 0),
         iif(?5, 0, -search), iif(?6, 0, -research), day, null, ?2
       from creditLedger where id = ?3 || ':reserve' and userId = ${ownerSql('?4')}`,
    )
    .bind(charged ? 'settle' : 'release', endedAtMs, generationId, userId, searched ? 1 : 0, researched ? 1 : 0)
}

/** A better title for a thread that has none, or still goes by its first words. Says whose it is now; null when it did not take its place. */
export async function improveTitle(
  env: DatabaseBindings,
  { userId, threadId }: Pick<TurnEnding, 'userId' | 'threadId'>,
  provisional: string,
  title: string,
): Promise<string | null> {
  return contentDb(env, userId)
    .prepare(
      `update thread set title = ?1
       where id = ?2 and userId = ${ownerSql('?3')} and (title is null or title = ?4) and title is not ?1 returning userId`,
    )
    .bind(title, threadId, userId, provisional)
    .first<string>('userId')
}

export type OpenTurn = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  readonly parentId: string
  readonly mode: TurnMode
  readonly model: { readonly id: string; readonly name: string; readonly icon: string; readonly credits: number }
}

/** A turn that has not ended, for a generation whose order never arrived. */
export async function readOpenTurn(env: DatabaseBindings, userId: string, generationId: string): Promise<OpenTurn | null> {
  const row = await contentDb(env, userId)
    .prepare("select threadId, parentId, modelId, mode, credits from generation where id = ? and userId = ? and status = 'open'")
    .bind(generationId, userId)
    .first<{ threadId: string; parentId: string; modelId: string; mode: TurnMode; credits: number }>()
  if (!row) return null
  const { threadId, parentId, modelId, mode, credits } = row
  const model = await directoryDb(env)
    .prepare('select name, icon from model where id = ?')
    .bind(modelId)
    .first<{ name: string; icon: string }>()
  return {
    generationId,
    userId,
    threadId,
    parentId,
    mode,
    model: { id: modelId, name: model?.name ?? modelId, icon: model?.icon ?? '', credits },
  }
}

/** Enough of a turn to reach whoever writes it. */
export type TurnRef = { readonly generationId: string; readonly writer: string | null }

/** The generation being written in a thread of this person, or null: none, or no such thread of theirs. */
export const readStream = (env: DatabaseBindings, userId: string, threadId: string): Promise<TurnRef | null> =>
  contentDb(env, userId)
    .prepare(
      `select generation.id generationId, writer from thread join generation on generation.id = thread.streamId
         where thread.id = ? and thread.userId = ? and thread.deletedAt is null`,
    )
    .bind(threadId, userId)
    .first<TurnRef>()

/** Where a turn of this person is written, or was; null when there is none, or it is not theirs. */
export const readWriter = (env: DatabaseBindings, userId: string, generationId: string): Promise<TurnRef | null> =>
  contentDb(env, userId)
    .prepare('select id generationId, writer from generation where id = ? and userId = ?')
    .bind(generationId, userId)
    .first<TurnRef>()
