/**
 * The database that an object syncs with, for one user. An application implements it (Parley: `worker/user-sync/d1-source.ts` over D1).
 * `commit` is one round trip that writes and reads the feed after the watermark, so its result contains what it wrote. Every method may be
 * called again after a failure: progress ids make a commit idempotent (SPEC P2).
 */
import type { Change, Json, Row } from '../engine/types.ts'
import type { AppError } from '../protocol/down.ts'

/** How far the feed was read. Only the source reads it; sync stores it as JSON. */
export type Watermark = Json

export type RowWrite = {
  readonly kind: 'insert' | 'upsert' | 'update' | 'delete'
  readonly table: string
  /** For an update the primary key and the columns to change, for a delete the primary key. */
  readonly row: Row
}

export type Applied = {
  readonly type: 'applied'
  readonly writes: readonly RowWrite[]
  /** The result of the application's `runMutator`. */
  readonly effects: unknown
}

type Refused = { readonly type: 'refused'; readonly error: AppError }

export type Outcome = Applied | Refused

export type CommittedMutation = {
  /** Null for a mutation of the server itself, which has no progress and no result. */
  readonly client: { readonly clientGroupID: string; readonly clientID: string; readonly mutationID: number } | null
  readonly outcome: Outcome
}

/** Clients that a commit adds to a group that has its maximum. */
export type NewClients = {
  readonly clientGroupID: string
  readonly added: number
  /** Clients that are connected, or whose mutations are in the commit. */
  readonly active: readonly string[]
}

export type CommitRequest = {
  readonly watermark: Watermark
  /** Scopes of which the replica has rows. */
  readonly heldScopes: readonly string[]
  readonly nowMs: number
  /** Those of one client are consecutive and in order (SPEC P2). */
  readonly mutations?: readonly CommittedMutation[]
  /** Idle clients of these groups are removed first. */
  readonly newClients?: readonly NewClients[]
  /** Client groups whose progress and results are read after the writes. */
  readonly progressOf?: readonly string[]
  /** A session to look up. */
  readonly sessionId?: string
}

/**
 * Why the feed cannot be continued. `expired`: rows after the watermark were removed. `restored`: the database is an earlier one, and what
 * the object stores may never have happened.
 */
type FeedBreak = 'expired' | 'restored'

export type GroupProgress = {
  readonly clients: readonly { readonly clientID: string; readonly lastMutationID: number }[]
  readonly results: readonly { readonly clientID: string; readonly mutationID: number; readonly error: AppError }[]
}

/** The user gained or lost all rows of a scope (`Scopes`). */
export type ScopeChange = { readonly scope: string; readonly isAdded: boolean }

export type CommitResult = {
  readonly changes: readonly Change[]
  /** In the order of the feed. */
  readonly scopeChanges: readonly ScopeChange[]
  readonly watermark: Watermark
  /** False when more rows follow after `watermark`. */
  readonly isComplete: boolean
  /** JSON of the rows. */
  readonly chars: number
  readonly break: FeedBreak | null
  /** In the order of `progressOf`. */
  readonly progress: readonly GroupProgress[]
  /** In the order of `newClients`. */
  readonly removedClients: readonly (readonly string[])[]
  /** True if the session of the request exists. */
  readonly isSignedIn: boolean
}

/** `after` is the last primary key that was read, '' at first. */
export type ImportCursor = { readonly table: string; readonly after: string }

export type ImportPage = {
  readonly table: string
  readonly rows: readonly Change[]
  /** The page has every row with a primary key above `after` and up to `last`; null when no row follows. */
  readonly after: string
  readonly last: string | null
}

export type ImportStart = {
  /** The end of the feed, read before the rows. */
  readonly watermark: Watermark
  readonly pages: readonly ImportPage[]
}

/** Why a commit failed; decides what the object does next (`push/failure.ts`). */
export type CommitFailure =
  /** A mutation of the batch can never be committed. */
  | { readonly type: 'refused'; readonly error: AppError }
  /** The mutators ran on rows that have changed. `error` is the refusal if reading again does not help. */
  | { readonly type: 'stale'; readonly error: AppError | null }
  /** The source and the object store different progress for a client. */
  | { readonly type: 'stale-progress' }
  /** A client group is full and no idle client could be removed. */
  | { readonly type: 'too-many-clients' }
  /** The user may not write any more; `message` goes to the client. */
  | { readonly type: 'unauthorized'; readonly message: string }
  /** The same commit may succeed later, and may have been committed. */
  | { readonly type: 'transient' }
  | { readonly type: 'unknown' }

/** Groups of rows that the user gains and loses as a whole. Their tables have the primary key `id`. */
export type Scopes = {
  /** SQL on the replica: ids of the scopes of which it has rows, as `id`. */
  readonly heldSql: string
  /** Conditions for the replica's rows of one scope, whose id is bound, by table. */
  readonly rowsOf: readonly (readonly [table: string, condition: string])[]
  /** All rows of a scope; none if the user does not have it. */
  read(scope: string): Promise<readonly Change[]>
}

/** Rows of `table` are deleted with the row of `parent` whose id is in their column `key`. */
type ChildTable = { readonly parent: string; readonly table: string; readonly key: string }

export interface Source {
  readonly userId: string
  /** Tables whose deleted rows the feed does not contain. Parents and children have the primary key `id`. */
  readonly childTables?: readonly ChildTable[]
  /** Absent if rows come and go one by one only. */
  readonly scopes?: Scopes
  commit(request: CommitRequest): Promise<CommitResult>
  /** The first page of every table. */
  beginImport(): Promise<ImportStart>
  /** The next page of tables with a cursor, at least of one. */
  readImport(cursors: readonly ImportCursor[]): Promise<readonly ImportPage[]>
  /** Rows that clients need first when the first pages are not all rows. */
  firstScreenRows(): Promise<readonly Change[]>
  /** Deletes the results of a client up to a mutation. */
  forgetResults(client: { readonly clientGroupID: string; readonly clientID: string }, upToMutationID: number): Promise<void>
  isSignedIn(sessionId: string): Promise<boolean>
  failureOf(error: unknown): CommitFailure
  /** Statements that a commit takes for an outcome, of `maxStatements` in one commit. */
  statementsIn(outcome: Outcome): number
  readonly maxStatements: number
}
