/**
 * What the engine is told and what it answers. No behaviour here.
 *
 * The engine knows tables, rows, queries (as Zero ASTs), groups (opaque ids) and versions. It knows nothing of
 * sockets, mutations, tokens, D1 or Durable Objects; `Sql` is its only door to the world.
 */
import type { AST } from '@rocicorp/zero'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }

/** A row as the wire carries it: booleans as booleans, json columns as nested JSON, missing optional = null. */
export type Row = { readonly [column: string]: Json | undefined }

export type ColumnType = 'string' | 'number' | 'boolean' | 'json'

/** A synced table. `primaryKey` is in the client schema's order. */
export type Table = {
  readonly name: string
  readonly columns: { readonly [column: string]: { readonly type: ColumnType; readonly optional?: boolean } }
  readonly primaryKey: readonly string[]
}

export type Tables = { readonly [table: string]: Table }

/** The primary key columns of one row, as `del` carries them. */
export type RowID = { readonly [column: string]: string | number | boolean }

/** The state of one row now: the whole row, or `row: null` when it is gone (or no longer this user's). */
export type Change = { readonly table: string; readonly id: RowID; readonly row: Row | null }

export type RowOp =
  | { readonly op: 'put'; readonly tableName: string; readonly value: Row }
  /** Of a row that the client certainly holds: the columns that may differ. */
  | { readonly op: 'update'; readonly tableName: string; readonly id: RowID; readonly merge: Row }
  | { readonly op: 'del'; readonly tableName: string; readonly id: RowID }

/** Object-wide version: strictly increasing integer; the wire's cookie is its lexicographic encoding. */
export type Version = number

export type SqlValue = string | number | null

/**
 * The synchronous SQLite of one object: `ctx.storage.sql` in production, `node:sqlite` in tests.
 * `transaction` rolls everything back when `run` throws; nested calls join the outer transaction.
 */
export interface Sql {
  all<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]): T[]
  /** Row by row from the cursor, for sets that no memory should hold. */
  each<T extends Record<string, SqlValue>>(text: string, ...binds: SqlValue[]): Iterable<T>
  run(text: string, ...binds: SqlValue[]): void
  transaction<T>(run: () => T extends Promise<unknown> ? never : T): T
}

/** A query a group has: its identity on the wire, and the AST the contract resolved `(name, args, viewer)` to. */
export type GroupQuery = { readonly hash: string; readonly name: string; readonly args: readonly Json[]; readonly ast: AST }

/** Everything one client group at version `since` needs to be at version `version`. */
export type Delta = DeltaOf<readonly RowOp[]>

/** The same with its rows as JSON texts of `RowOp`, each read from the replica when it is asked for: nothing is held but one row. */
export type Stream = DeltaOf<Iterable<string>>

type DeltaOf<Rows> = {
  readonly version: Version
  /** One op per row; put and update beat del. */
  readonly rows: Rows
  /** Hashes whose results are complete in this delta and were not at `since`. */
  readonly got: readonly string[]
  /** Hashes the group had at `since` and has no more. */
  readonly gone: readonly string[]
  /** True when `since` is below the floor, or too far behind for a difference: the client must clear, `rows` is everything. */
  readonly clear: boolean
}

export interface Engine {
  /** Creates its own tables and the replica's when missing; idempotent. Answers whether an earlier release was here last. */
  migrate(): boolean
  /** The newest version written. */
  readonly version: Version
  /** Versions below this cannot be answered by difference. */
  readonly floor: Version
  /** Takes the next version for a change outside the rows (progress, desires, results). */
  nextVersion(): Version

  /** Rows that changed; unchanged ones are ignored. Returns the changes that were real. Call inside `sql.transaction`. */
  apply(changes: readonly Change[]): readonly Change[]
  /** First load or rebuild: rows go in without a log and the floor moves to the version. */
  load(rows: Iterable<Change>): void
  /** Forgets every replica row, log entry and query; `version` and floor start above every version ever given. */
  wipe(startVersion: Version): void

  /** Throws `UnsupportedQueryError` before anything is stored. A hash the group has alive is a no-op. */
  addQuery(groupID: string, query: GroupQuery): void
  removeQuery(groupID: string, hash: string): void
  /** The group's live queries. */
  queries(groupID: string): readonly GroupQuery[]
  /** What the group had at a version, by hash: alive, or gone since and not forgotten. */
  queriesAt(groupID: string, version: Version): ReadonlyMap<string, GroupQuery>
  /** Forgets a group and its queries entirely. */
  dropGroup(groupID: string): void

  /** Pure in `(groupID, since)` for the state now; several connections at one version may share one call. */
  sync(groupID: string, since: Version | null): Delta
  /**
   * The same for a difference of any size. Its rows are read when they are asked for, once: outside the transaction, if you like, but
   * before anything else is written.
   */
  stream(groupID: string, since: Version | null): Stream

  /** Rows of the root table matching the AST now, for mutators; related and exists subqueries allowed in conditions only. */
  run(ast: AST): readonly Row[]
  /** One row by primary key. */
  get(table: string, id: RowID): Row | undefined

  /** Removed queries that are still known, of all groups. */
  readonly goneCount: number
  /** The version at which the last but `newer` of them went, 0 when there are no more: a floor that keeps that many. */
  goneBefore(newer: number): Version
  /** Forgets log entries and gone queries at or below `floor`. */
  prune(floor: Version): void
  /** Drops all in-memory state; the next call reloads from SQL (invariant I10). */
  reset(): void
}

/** `message` reads `query form not supported by the sync engine: <form> (at <path>)`. */
export class UnsupportedQueryError extends Error {
  override readonly name = 'UnsupportedQueryError'
}
