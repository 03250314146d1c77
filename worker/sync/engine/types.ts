/**
 * Input and output types of the engine. It works with tables, rows, queries (Zero ASTs), groups (opaque ids) and versions, and not with
 * sockets, mutations, tokens, D1 or Durable Objects. `Sql` is its only dependency.
 */
import type { AST } from '@rocicorp/zero'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** A row in wire form: booleans, json columns as nested JSON, missing optional columns as null. */
export type Row = { readonly [column: string]: Json | undefined }

export type ColumnType = 'string' | 'number' | 'boolean' | 'json'

/** A synced table. `primaryKey` is in the client schema's order. */
export type Table = {
  readonly name: string
  readonly columns: { readonly [column: string]: { readonly type: ColumnType; readonly optional?: boolean } }
  readonly primaryKey: readonly string[]
}

export type Tables = { readonly [table: string]: Table }

/** The primary key columns of one row, as in a `del`. */
export type RowID = { readonly [column: string]: string | number | boolean }

/** The current state of one row: the whole row, or `row: null` when it was deleted (or belongs to another user now). */
export type Change = { readonly table: string; readonly id: RowID; readonly row: Row | null }

export type RowOp =
  | { readonly op: 'put'; readonly tableName: string; readonly value: Row }
  /** For a row that the client certainly holds: the columns that may differ. */
  | { readonly op: 'update'; readonly tableName: string; readonly id: RowID; readonly merge: Row }
  | { readonly op: 'del'; readonly tableName: string; readonly id: RowID }

/** Object-wide version: a strictly increasing integer. The cookie is its lexicographic encoding. */
export type Version = number

export type SqlValue = string | number | null

/**
 * The synchronous SQLite of one object: `ctx.storage.sql` in production, `node:sqlite` in tests.
 * `transaction` rolls everything back when `run` throws; nested calls join the outer transaction.
 */
export interface Sql {
  all<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]): T[]
  /** Row by row from the cursor, for sets that do not fit into memory. */
  each<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]): Iterable<T>
  run(text: string, ...binds: SqlValue[]): void
  transaction<T>(run: () => T extends Promise<unknown> ? never : T): T
}

/** A query of a group: its identity on the wire, and its AST, resolved from name, arguments and user. */
export type GroupQuery = { readonly hash: string; readonly name: string; readonly args: readonly Json[]; readonly ast: AST }

/** Everything that a client group needs to get from version `since` to `version`. */
export type Delta = {
  readonly version: Version
  /**
   * JSON texts of `RowOp`, one op per row; put and update win over del. Each row is read when it is requested, so memory holds one row. Read
   * `rows` once, before any other write; this may happen after the transaction.
   */
  readonly rows: Iterable<string>
  /** Hashes whose results are complete in this delta and were not at `since`. */
  readonly got: readonly string[]
  /** Hashes that the group had at `since` and that were removed. */
  readonly removed: readonly string[]
  /** True when `since` is below the floor or too far behind for a difference: the client must clear, and `rows` has all rows. */
  readonly clear: boolean
}

export interface Engine {
  /** Creates the engine's and the replica's tables when missing. Idempotent. */
  migrate(): void
  /** The newest version written. */
  readonly version: Version
  /** Versions below this cannot be answered by difference. */
  readonly floor: Version
  /** Takes the next version for a change outside the rows (progress, desired queries, results). */
  nextVersion(): Version

  /**
   * Returns the changes that differed from the stored rows. Call inside `sql.transaction`. `isAbsent`: the caller has found in the same
   * transaction that the replica does not have the row, so it is not read.
   */
  apply(changes: readonly Change[], isAbsent?: (change: Change) => boolean): readonly Change[]
  /** First load or rebuild: rows are not logged, and the floor becomes the version. */
  load(rows: Iterable<Change>): void
  /** Deletes all rows, log entries and queries. `version` and floor start above every earlier version. */
  wipe(startVersion: Version): void

  /** Throws `UnsupportedQueryError` before anything is stored. Does nothing for a live hash. */
  addQuery(groupID: string, query: GroupQuery): void
  removeQuery(groupID: string, hash: string): void
  /** The group's live queries. */
  queries(groupID: string): readonly GroupQuery[]
  /** The group's queries at a version, by hash: live, or removed since and not pruned. */
  queriesAt(groupID: string, version: Version): ReadonlyMap<string, GroupQuery>
  /** Deletes a group and its queries. */
  dropGroup(groupID: string): void

  /** Pure in `(groupID, since)` for the state now; several connections at one version may share one call. */
  stream(groupID: string, since: Version | null): Delta

  /** Rows of the root table that match the AST now, for mutators. EXISTS is supported, related is not. */
  run(ast: AST): readonly Row[]
  /** One row by primary key. */
  get(table: string, id: RowID): Row | undefined

  /** Number of removed queries that are not pruned, of all groups. */
  readonly removedCount: number
  /** The floor that keeps the `kept` newest removed queries; 0 if there are not more. */
  removalBefore(kept: number): Version
  /** Deletes log entries and removed queries at or below `floor`. */
  prune(floor: Version): void
  /** Drops all in-memory state. The next call reads SQL. */
  reset(): void
}

/** `message` reads `query form not supported by the sync engine: <form> (at <path>)`. */
export class UnsupportedQueryError extends Error {
  override readonly name = 'UnsupportedQueryError'
}

/** The refusal of a query names the form and its place in the AST. */
export function unsupported(form: string, path: string): never {
  throw new UnsupportedQueryError(`query form not supported by the sync engine: ${form} (at ${path})`)
}
