/** An assistant turn in the record: its generation, and what is reserved for it. */
import type { TurnMode } from '../contract/modes.ts'

export type Turn = {
  /** The id of the generation and of the answer to come. */
  readonly generationId: string
  readonly threadId: string
  /** The user message being answered. */
  readonly parentId: string
  readonly modelId: string
  readonly mode: TurnMode
  /** The interrupted answer that this one continues. */
  readonly continueId: string | null
  /** The reasoning effort it asks for; null for a model without levels. */
  readonly effort: string | null
  /** The queued message that it comes from. */
  readonly queuedId: string | null
}

/** A turn as the record has it, with the credits that were reserved for it. */
export type ReservedTurn = Turn & { readonly credits: number }

export type Reservation = {
  readonly credits: number
  /** UTC days since the epoch. */
  readonly day: number
  readonly dailyLimit: number
  /** One for a turn that may search; given back when no search of it succeeded. */
  readonly search: number
  readonly searchLimit: number
  /** One for a research; given back when nothing came of it, and by its plan always. */
  readonly research: number
  readonly researchLimit: number
}

/** Opens the turn and reserves its credits; a trigger aborts the batch when the day's limit does not allow it. */
export function openTurnStatements(
  db: D1Database,
  userId: string,
  turn: Turn,
  reservation: Reservation,
  nowMs: number,
): D1PreparedStatement[] {
  const { credits, day, dailyLimit, search, searchLimit, research, researchLimit } = reservation
  return [
    db
      .prepare(
        `insert into generation (id, userId, threadId, parentId, modelId, mode, continueId, effort, queuedId, status, credits, day, createdAt)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)`,
      )

      .bind(
        turn.generationId,
        userId,
        turn.threadId,
        turn.parentId,
        turn.modelId,
        turn.mode,
        turn.continueId,
        turn.effort,
        turn.queuedId,
        credits,
        day,
        nowMs,
      ),
    db
      .prepare(
        `insert into creditLedger (id, userId, generationId, kind, credits, search, research, day, dailyLimit, searchLimit, researchLimit, createdAt)
         values (?, ?, ?, 'reserve', ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .bind(
        `${turn.generationId}:reserve`,
        userId,
        turn.generationId,
        credits,
        search,
        research,
        day,
        dailyLimit,
        searchLimit,
        researchLimit,
        nowMs,
      ),
  ]
}

export const openTurnsStatement = (db: D1Database, userId: string): D1PreparedStatement =>
  db
    .prepare(
      `select id generationId, threadId, parentId, modelId, mode, continueId, effort, queuedId, credits
        from generation where userId = ? and status = 'open'`,
    )
    .bind(userId)

export const readOpenTurns = (result: D1Result | undefined): readonly ReservedTurn[] => (result?.results ?? []) as ReservedTurn[]
