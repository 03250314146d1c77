/** The used part of a Durable Object's SQLite. Unit tests implement it with `node:sqlite`. */
export type Sql = {
  exec(query: string, ...bindings: (string | number | null)[]): { toArray(): Record<string, unknown>[] }
}

export type AnswerStorage = {
  readonly sql: Sql
  /** Commits all writes of `run`, or none if it throws. */
  transactionSync(run: () => void): void
  /** Resolves when everything written so far is durable. */
  sync(): Promise<void>
}

/** Runs `run` after `delayMs` unless the returned function is called first. */
export type Later = (delayMs: number, run: () => void) => () => void

export const later: Later = (delayMs, run) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}
