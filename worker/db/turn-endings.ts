/**
 * A turn's one ending in D1, written in one batch, and what the stream route and a recovering generation must know of a turn.
 * The guard on `generation.status` makes the ending happen once, whoever writes it and however often; every other statement of the batch
 * is conditional on rows that the turn's owner may have deleted meanwhile.
 */
import type { AnswerMessage } from '../contract/messages.ts'
import type { TurnMode } from '../contract/modes.ts'
import { classifyD1Error } from './errors.ts'
import { contentDb, type DatabaseBindings, directoryDb } from './shards.ts'

export type TurnEnding = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  readonly parentId: string
  readonly answer: AnswerMessage
  /** False when nothing was produced: the reserved credits are given back. */
  readonly charged: boolean
  /** False when no search succeeded: a reserved search is given back. */
  readonly searched: boolean
  /** For a thread that has none yet. */
  readonly title: string | null
  readonly endedAtMs: number
}

/**
 * Writes the ending. True when this call wrote it, false when there is nothing to end: it had ended before, or its owner is gone.
 * Throws when the outcome is unknown, and then the same call may be made again.
 */
export async function endTurn(env: DatabaseBindings, turn: TurnEnding): Promise<boolean> {
  const db = contentDb(env, turn.userId)
  try {
    // The guarded statement comes first, so that a second ending stops there and not at the message that exists already.
    const [guarded] = await db.batch([
      endGeneration(db, turn),
      insertAnswer(db, turn),
      readyThread(db, turn),
      settleCredits(db, turn),
      holdQueue(db, turn),
    ])
    return (guarded?.meta.changes ?? 0) > 0
  } catch (error) {
    const cause = classifyD1Error(error)
    if (cause.kind === 'guard' && cause.code === 'generation_ended') return false
    throw error
  }
}

function endGeneration(db: D1Database, { answer, endedAtMs, generationId, userId }: TurnEnding): D1PreparedStatement {
  const { ending, failure } = answer.metadata
  return db
    .prepare('update generation set status = ?, endedAt = ?, error = ? where id = ? and userId = ?')
    .bind(ending, endedAtMs, failure?.code ?? null, generationId, userId)
}

/** Ids of messages come from browsers. One that took the answer's own must not keep the turn from ending: then there is no answer. */
function insertAnswer(db: D1Database, { generationId, threadId, userId, parentId, answer, endedAtMs }: TurnEnding): D1PreparedStatement {
  return db
    .prepare(
      `insert into message (id, threadId, userId, parentId, message, createdAt, updatedAt)
       select ?1, id, userId, ?2, ?3, ?4, ?4 from thread where id = ?5 and userId = ?6
       on conflict (id) do nothing`,
    )
    .bind(generationId, parentId, JSON.stringify(answer), endedAtMs, threadId, userId)
}

function readyThread(db: D1Database, { generationId, threadId, userId, title, endedAtMs }: TurnEnding): D1PreparedStatement {
  return db
    .prepare(
      `update thread
       set status = 'ready', streamId = null, updatedAt = max(updatedAt, ?2), title = coalesce(title, ?3),
         headId = iif(exists (select 1 from message where id = ?1 and threadId = ?4), ?1, headId)
       where id = ?4 and userId = ?5 and streamId = ?1`,
    )
    .bind(generationId, endedAtMs, title, threadId, userId)
}

/** What waits behind a turn that did not complete waits for the person: it may have been written in the hope of another answer. */
function holdQueue(db: D1Database, { answer, threadId, userId }: TurnEnding): D1PreparedStatement {
  const { ending } = answer.metadata
  return db
    .prepare("update queuedMessage set hold = ?1 where threadId = ?2 and userId = ?3 and hold is null and ?1 <> 'completed'")
    .bind(ending, threadId, userId)
}

/** On the day of the reservation, or a release after midnight would give away credits of the new day. */
function settleCredits(db: D1Database, { charged, searched, endedAtMs, generationId, userId }: TurnEnding): D1PreparedStatement {
  return db
    .prepare(
      `insert into creditLedger (id, userId, generationId, kind, credits, search, day, dailyLimit, createdAt)
       select id || ':' || ?1, userId, id, ?1, iif(?1 = 'release', -credits, 0), iif(mode = 'search' and not ?5, -1, 0), day, null, ?2
       from generation where id = ?3 and userId = ?4`,
    )
    .bind(charged ? 'settle' : 'release', endedAtMs, generationId, userId, searched ? 1 : 0)
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

/** The generation being written in a thread of this person, or null: none, or no such thread of theirs. */
export async function readStreamId(env: DatabaseBindings, userId: string, threadId: string): Promise<string | null> {
  const row = await contentDb(env, userId)
    .prepare('select streamId from thread where id = ? and userId = ? and deletedAt is null')
    .bind(threadId, userId)
    .first<{ streamId: string | null }>()
  return row?.streamId ?? null
}
