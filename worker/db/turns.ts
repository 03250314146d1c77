/** An assistant turn in D1: its generation and its reservations. */
import type { TurnMode } from '../contract/modes.ts'

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

/** A turn as stored in D1, with its reserved credits. `objectId`: the id of its `Generation` object. */
export type ReservedTurn = RequestedTurn & { readonly credits: number; readonly objectId: string }

export type Reservation = {
  readonly credits: number
  /** UTC days since the epoch. */
  readonly day: number
  readonly dailyLimit: number
  /** 1 for a turn that may search. Refunded if no search succeeded. */
  readonly search: number
  readonly searchLimit: number
  /** 1 for a research. Refunded if it produced no report, and always for a plan. */
  readonly research: number
  readonly researchLimit: number
}

/**
 * Credits already paid for the interrupted research that a turn continues (contract/research-cost.ts). Null if the turn is charged in full.
 * Read in the same statement as the reservation. ?2 is the continued answer, ?3 the user's id.
 */
const paidBefore = "(select message ->> '$.metadata.paid.credits' from message where id = ?2 and userId = ?3)"

/**
 * Opens the turn and reserves its credits. A trigger aborts the batch if the daily limit is exceeded. `objectId`: the id of a new `Generation`
 * object.
 */
export function openTurnStatements(
  db: D1Database,
  userId: string,
  turn: RequestedTurn & { readonly objectId: string },
  reservation: Reservation,
  nowMs: number,
): D1PreparedStatement[] {
  const { credits, day, dailyLimit, search, searchLimit, research, researchLimit } = reservation
  const { generationId, threadId, parentId, modelId, mode, continueId, effort, queuedId, objectId } = turn
  const mayBePaid = research > 0 && continueId !== null
  return [
    db
      .prepare(
        `insert into generation (id, continueId, userId, threadId, parentId, modelId, mode, effort, queuedId, status, credits, day, createdAt, writer)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open', ${mayBePaid ? `max(0, ?10 - coalesce(${paidBefore}, 0))` : '?10'}, ?11, ?12, ?13)`,
      )
      .bind(generationId, continueId, userId, threadId, parentId, modelId, mode, effort, queuedId, credits, day, nowMs, objectId),
    db
      .prepare(
        `insert into creditLedger (id, userId, generationId, kind, credits, search, research, day, dailyLimit, searchLimit, researchLimit, createdAt)
         select id || ':reserve', userId, id, 'reserve', credits, ?4, ${mayBePaid ? `iif(${paidBefore} is null, ?5, 0)` : '?5'}, day, ?6, ?7, ?8, createdAt
         from generation where id = ?1 and continueId is ?2 and userId = ?3`,
      )
      .bind(generationId, continueId, userId, search, research, dailyLimit, searchLimit, researchLimit),
  ]
}

export const openTurnsStatement = (db: D1Database, userId: string): D1PreparedStatement =>
  db
    .prepare(
      `select id generationId, threadId, parentId, modelId, mode, continueId, effort, queuedId, credits, writer objectId
        from generation where userId = ? and status = 'open'`,
    )
    .bind(userId)

export const readOpenTurns = (result: D1Result | undefined): readonly ReservedTurn[] => (result?.results ?? []) as ReservedTurn[]
