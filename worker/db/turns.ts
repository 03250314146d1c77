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

/** A turn as D1 has it, with the credits that were reserved for it. `writer` names its `Generation` object: the id of the user who asked. */
export type ReservedTurn = Turn & { readonly credits: number; readonly writer: string }

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

/**
 * What was paid for the research that a turn goes on with because it broke (contract/research-cost.ts); null when this one is to be paid in
 * full. Read where nothing can come between. ?2 is the answer it goes on with, ?3 the person's id.
 */
const paidBefore = "(select message ->> '$.metadata.paid.credits' from message where id = ?2 and userId = ?3)"

/** Opens the turn and reserves its credits; a trigger aborts the batch when the day's limit does not allow it. */
export function openTurnStatements(
  db: D1Database,
  userId: string,
  turn: Turn,
  reservation: Reservation,
  nowMs: number,
): D1PreparedStatement[] {
  const { credits, day, dailyLimit, search, searchLimit, research, researchLimit } = reservation
  const { generationId, threadId, parentId, modelId, mode, continueId, effort, queuedId } = turn
  const mayBePaid = research > 0 && continueId !== null
  return [
    db
      .prepare(
        `insert into generation (id, continueId, userId, threadId, parentId, modelId, mode, effort, queuedId, status, credits, day, createdAt, writer)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open', ${mayBePaid ? `max(0, ?10 - coalesce(${paidBefore}, 0))` : '?10'}, ?11, ?12, ?3)`,
      )
      .bind(generationId, continueId, userId, threadId, parentId, modelId, mode, effort, queuedId, credits, day, nowMs),
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
      `select id generationId, threadId, parentId, modelId, mode, continueId, effort, queuedId, credits, writer
        from generation where userId = ? and status = 'open'`,
    )
    .bind(userId)

export const readOpenTurns = (result: D1Result | undefined): readonly ReservedTurn[] => (result?.results ?? []) as ReservedTurn[]
