/** The part of a Durable Object's SQLite that the generation's mechanisms use; `node:sqlite` has the same shape in unit tests. */
export type Sql = {
  exec(query: string, ...bindings: (string | number | null)[]): { toArray(): Record<string, unknown>[] }
}

export type AnswerStorage = {
  readonly sql: Sql
  /** All of `run`'s writes or none. */
  transactionSync(run: () => void): void
  /** Resolves when everything written so far will be found by whoever comes after this object. */
  sync(): Promise<void>
}

/** Runs `run` after `delayMs` unless the returned function is called first. */
export type Later = (delayMs: number, run: () => void) => () => void

export const later: Later = (delayMs, run) => {
  const timer = setTimeout(run, delayMs)
  return () => clearTimeout(timer)
}
