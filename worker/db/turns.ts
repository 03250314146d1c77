/** An assistant turn in D1: its generation, its reservations and its title. `turn-endings.ts` ends it. */
import { and, eq } from 'drizzle-orm'
import { type AnswerFigures, figuresOf, type ModelRequest } from '../contract/models/model-use.ts'
import type { TurnMode } from '../contract/models/modes.ts'
import type { Quote } from '../contract/models/quote.ts'
import type { AnswerMessage, MessagePart } from '../contract/threads/messages.ts'
import { type DecidedCall, decidedCalls, waitsForApproval } from '../contract/tools/approvals.ts'
import { ownerSql, withOwner } from './current-owner.ts'
import { classifyD1Error } from './errors.ts'
import { addThreadUse, insertRequests, threadUse } from './model-use.ts'
import { contentDb, type DatabaseBindings, directoryDb, orm } from './shards.ts'
import { approval } from './tables/threads.ts'

export type RequestedTurn = {
  /** Id of the generation and of the future answer. */
  readonly generationId: string
  readonly threadId: string
  /** The user message being answered. */
  readonly parentId: string
  readonly modelId: string
  readonly mode: TurnMode
  /** The interrupted answer that this turn continues. */
  readonly continueId: string | null
  /** Requested reasoning effort. Null for a model without levels. */
  readonly effort: string | null
  /** The queued message that started the turn. */
  readonly queuedId: string | null
}

/**
 * A turn as stored in D1, with its reserved credits. `objectId`: the id of its `Generation` object. `price`: absent for a turn that an older
 * version opened.
 */
export type ReservedTurn = RequestedTurn & {
  readonly credits: number
  readonly objectId: string
  readonly price?: Pick<Quote, 'minimum' | 'expected'>
}

export type Reservation = Pick<Quote, 'minimum' | 'expected'> & {
  /** At most these credits are charged. */
  readonly credits: number
  /** UTC days since the epoch. */
  readonly day: number
  readonly dailyLimit: number
  /** Of the thread. A new thread is inserted after its turn, in the same batch. */
  readonly projectId?: string | null
  /** 1 for a research. Refunded if it produced no report, and always for a plan. */
  readonly research: number
  readonly researchLimit: number
}

/**
 * Credits already paid for the interrupted research that a turn continues (contract/research/research-cost.ts). Null if the turn is charged in full.
 * Read in the same statement as the reservation. ?2 is the continued answer, ?3 the user's id.
 */
const paidBefore = "(select message ->> '$.metadata.paid.credits' from message where id = ?2 and userId = ?3)"

/**
 * Opens the turn and reserves its credits. A trigger aborts the batch if a limit of the plan or of the user is exceeded. `objectId`: the id of a new `Generation`
 * object.
 */
export function openTurnStatements(
  db: D1Database,
  userId: string,
  turn: RequestedTurn & { readonly objectId: string },
  reservation: Reservation,
  nowMs: number,
): D1PreparedStatement[] {
  const { credits, minimum, expected, day, dailyLimit, projectId = null, research, researchLimit } = reservation
  const { generationId, threadId, parentId, modelId, mode, continueId, effort, queuedId, objectId } = turn
  const mayBePaid = research > 0 && continueId !== null
  return [
    db
      .prepare(
        `insert into generation (id, continueId, userId, threadId, parentId, modelId, mode, effort, queuedId, status, credits, day, createdAt,
           objectId, minimumCredits, expectedCredits, projectId)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open', ${mayBePaid ? `max(0, ?10 - coalesce(${paidBefore}, 0))` : '?10'}, ?11, ?12,
           ?13, ?14, ?15, coalesce(?16, (select projectId from thread where id = ?4)))`,
      )
      .bind(
        ...[generationId, continueId, userId, threadId, parentId, modelId, mode, effort, queuedId, credits, day, nowMs, objectId],
        ...[minimum, expected, projectId],
      ),
    db
      .prepare(
        `insert into creditLedger (id, userId, generationId, kind, credits, research, day, dailyLimit, researchLimit, ownDailyLimit, monthlyLimit, createdAt)
         select id || ':reserve', userId, id, 'reserve', credits, ${mayBePaid ? `iif(${paidBefore} is null, ?4, 0)` : '?4'}, day, ?5, ?6,
           (select dailyCreditLimit from usage where userId = ?3), (select monthlyCreditLimit from usage where userId = ?3), createdAt
         from generation where id = ?1 and continueId is ?2 and userId = ?3`,
      )
      .bind(generationId, continueId, userId, research, dailyLimit, researchLimit),
  ]
}

type SearchCharge = Pick<OpenTurn, 'generationId' | 'userId'> & { readonly searchLimit: number; readonly nowMs: number }

/**
 * Charges one search of the day for an open turn, however often it is called. `none_left`: the limit of the day is reached. The ending of the
 * turn releases the search if none was answered (`releaseSearch`).
 */
export async function chargeSearch(
  env: DatabaseBindings,
  { generationId, userId, searchLimit, nowMs }: SearchCharge,
): Promise<'charged' | 'none_left' | 'ended'> {
  // A turn that was opened before searches were charged when they are made has its search in `:reserve`.
  const charged = "select 1 from creditLedger where id in (?1 || ':search', ?1 || ':reserve') and search > 0"
  try {
    const found = await withOwner(env, userId, async (db, owner) => {
      const [, rows] = await db.batch([
        db
          .prepare(
            `insert into creditLedger (id, userId, generationId, kind, credits, search, day, searchLimit, createdAt)
             select id || ':search', userId, id, 'reserve', 0, 1,
               max(day, coalesce((select day from usage where userId = generation.userId), 0)), ?2, ?3
             from generation where id = ?1 and userId = ${ownerSql('?4')} and status = 'open' and not exists (${charged})`,
          )
          .bind(generationId, searchLimit, nowMs, owner),
        db.prepare(charged).bind(generationId),
      ])
      return rows?.results ?? []
    })
    return found?.length === 1 ? 'charged' : 'ended'
  } catch (error) {
    const cause = classifyD1Error(error)
    if (cause.kind === 'guard' && cause.code === 'tool_limit_reached') return 'none_left'
    throw error
  }
}

export const openTurnsStatement = (db: D1Database, userId: string): D1PreparedStatement =>
  db
    .prepare(
      `select id generationId, threadId, parentId, modelId, mode, continueId, effort, queuedId, credits, objectId, minimumCredits, expectedCredits
        from generation where userId = ? and status = 'open'`,
    )
    .bind(userId)

type OpenTurnRow = Omit<ReservedTurn, 'price'> & { readonly minimumCredits: number | null; readonly expectedCredits: number | null }

export const readOpenTurns = (result: D1Result | undefined): readonly ReservedTurn[] =>
  ((result?.results ?? []) as OpenTurnRow[]).map(({ minimumCredits: minimum, expectedCredits: expected, ...turn }) => ({
    ...turn,
    ...(minimum !== null && expected !== null && { price: { minimum, expected } }),
  }))

/** A turn and the id of its `Generation` object. */
export type TurnRef = { readonly generationId: string; readonly objectId: string }

/** The running turn of the user's thread, or null. */
export const readRunningTurn = (env: DatabaseBindings, userId: string, threadId: string): Promise<TurnRef | null> =>
  contentDb(env, userId)
    .prepare(
      `select generation.id generationId, generation.objectId from thread join generation on generation.id = thread.streamId
         where thread.id = ? and thread.userId = ? and thread.deletedAt is null`,
    )
    .bind(threadId, userId)
    .first<TurnRef>()

/**
 * The user's turn in this thread, running or ended. Null for a turn of another user or thread, for one that is not opened yet, and for an
 * ended one whose answer, thread or earlier message is deleted.
 */
export async function readTurn(
  env: DatabaseBindings,
  { userId, threadId, generationId }: Pick<OpenTurn, 'userId' | 'threadId' | 'generationId'>,
): Promise<(TurnRef & { readonly isOpen: boolean }) | null> {
  const row = await contentDb(env, userId)
    .prepare(
      `with recursive path (id, parentId, deletedAt) as (
        select id, parentId, deletedAt from message where id = ?1 and userId = ?2
        union all
        select message.id, message.parentId, message.deletedAt from path join message on message.id = path.parentId
      )
      select objectId, status = 'open' isOpen from generation where id = ?1 and userId = ?2 and threadId = ?3 and (
        status = 'open' or (
          exists (select 1 from thread where id = ?3 and deletedAt is null)
          and exists (select 1 from path) and not exists (select 1 from path where deletedAt is not null)
        )
      )`,
    )
    .bind(generationId, userId, threadId)
    .first<{ objectId: string; isOpen: number }>()
  return row && { generationId, objectId: row.objectId, isOpen: row.isOpen === 1 }
}

export const readTitle = (env: DatabaseBindings, { userId, threadId }: Pick<OpenTurn, 'userId' | 'threadId'>): Promise<string | null> =>
  withOwner(env, userId, (db) => db.prepare('select title from thread where id = ?').bind(threadId).first<string>('title'))

/** `title`: replaces a missing title and the provisional one; null if none was found. `requests`: the requests that were made for it. */
type FoundTitle = { readonly provisional: string; readonly title: string | null; readonly requests: readonly ModelRequest[] }

/** Records a title of the turn, which may have ended. Returns the owner's id, or null if the thread does not exist. */
export const recordTitle = (
  env: DatabaseBindings,
  turn: Pick<OpenTurn, 'generationId' | 'userId' | 'threadId'>,
  { provisional, title, requests }: FoundTitle,
): Promise<string | null> =>
  withOwner(env, turn.userId, async (db, userId) => {
    const [updated] = await db.batch<{ userId: string }>([
      db
        .prepare(
          `update thread set title = iif(title is null or title = ?4, coalesce(?1, title), title), ${addThreadUse(5)}
           where id = ?2 and userId = ${ownerSql('?3')} returning userId`,
        )
        .bind(title, turn.threadId, userId, provisional, ...threadUse(requests)),
      ...(requests.length > 0 ? [insertRequests(db, { ...turn, userId }, 'title', requests)] : []),
    ])
    return updated?.results[0]?.userId ?? null
  })

export type OpenTurn = {
  readonly generationId: string
  readonly userId: string
  readonly threadId: string
  readonly parentId: string
  readonly mode: TurnMode
  readonly model: { readonly id: string; readonly name: string; readonly icon: string; readonly credits: number }
  /** The parts of the answer that waited for the user's decisions, and these decisions. Absent for a turn that continues no such answer. */
  readonly continued?: readonly MessagePart[]
  readonly decided?: readonly DecidedCall[]
  readonly replacesId?: string
  /** The figures of that answer, and the origins of the text in its context. */
  readonly earlier?: AnswerFigures
  readonly origins?: readonly string[]
}

/** An open turn whose start command never arrived. */
export async function readOpenTurn(env: DatabaseBindings, userId: string, generationId: string): Promise<OpenTurn | null> {
  const row = await contentDb(env, userId)
    .prepare(
      "select threadId, parentId, modelId, mode, credits, continueId from generation where id = ? and userId = ? and status = 'open'",
    )
    .bind(generationId, userId)
    .first<{ threadId: string; parentId: string; modelId: string; mode: TurnMode; credits: number; continueId: string | null }>()
  if (!row) return null
  const { modelId, credits, continueId, ...turn } = row
  const model = await directoryDb(env)
    .prepare('select name, icon from model where id = ?')
    .bind(modelId)
    .first<{ name: string; icon: string }>()
  return {
    generationId,
    userId,
    ...turn,
    model: { id: modelId, name: model?.name ?? modelId, icon: model?.icon ?? '', credits },
    ...(continueId === null ? {} : await readDecided(contentDb(env, userId), userId, continueId)),
  }
}

/** The answer that waited for the user's decisions; nothing if it did not wait. */
async function readDecided(
  db: D1Database,
  userId: string,
  continueId: string,
): Promise<Pick<OpenTurn, 'continued' | 'decided' | 'replacesId' | 'earlier' | 'origins'>> {
  const text = await db.prepare('select message from message where id = ? and userId = ?').bind(continueId, userId).first<string>('message')
  // Written by this Worker.
  const answer = text === null ? null : (JSON.parse(text) as AnswerMessage)
  if (!answer || !waitsForApproval(answer.parts)) return {}
  const { parts, metadata } = answer
  const { origins } = metadata
  const approvals = await orm(db)
    .select()
    .from(approval)
    .where(and(eq(approval.messageId, continueId), eq(approval.userId, userId)))
  const decided = decidedCalls(parts, approvals)
  return { continued: parts, decided, replacesId: continueId, earlier: figuresOf(metadata), ...(origins && { origins }) }
}
