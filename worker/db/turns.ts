/** An assistant turn in the record: its generation, and the credits reserved for it. */

export type Turn = {
  /** The id of the generation and of the answer to come. */
  readonly generationId: string
  readonly threadId: string
  /** The user message being answered. */
  readonly parentId: string
  readonly modelId: string
  /** The interrupted answer that this one continues. */
  readonly continueId: string | null
}

/** A turn as the record has it, with the credits that were reserved for it. */
export type ReservedTurn = Turn & { readonly credits: number }

export type Reservation = {
  readonly credits: number
  /** UTC days since the epoch. */
  readonly day: number
  readonly dailyLimit: number
}

/** Opens the turn and reserves its credits; a trigger aborts the batch when the day's limit does not allow it. */
export function openTurnStatements(
  db: D1Database,
  userId: string,
  turn: Turn,
  reservation: Reservation,
  nowMs: number,
): D1PreparedStatement[] {
  const { credits, day, dailyLimit } = reservation
  return [
    db
      .prepare(
        `insert into generation (id, userId, threadId, parentId, modelId, continueId, status, credits, day, createdAt)
         values (?, ?, ?, ?, ?, ?, 'open', ?, ?, ?)`,
      )
      .bind(turn.generationId, userId, turn.threadId, turn.parentId, turn.modelId, turn.continueId, credits, day, nowMs),
    db
      .prepare(
        `insert into creditLedger (id, userId, generationId, kind, credits, day, dailyLimit, createdAt)
         values (?, ?, ?, 'reserve', ?, ?, ?, ?)`,
      )
      .bind(`${turn.generationId}:reserve`, userId, turn.generationId, credits, day, dailyLimit, nowMs),
  ]
}

export const openTurnsStatement = (db: D1Database, userId: string): D1PreparedStatement =>
  db
    .prepare(
      `select id generationId, threadId, parentId, modelId, continueId, credits from generation where userId = ? and status = 'open'`,
    )
    .bind(userId)

export const readOpenTurns = (result: D1Result | undefined): readonly ReservedTurn[] => (result?.results ?? []) as ReservedTurn[]
