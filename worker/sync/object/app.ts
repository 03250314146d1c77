/** What an application gives to its user objects: named queries, mutators, authentication and limits, and features that follow commits. */
import type { AnyMutatorRegistry, Schema, Transaction } from '@rocicorp/zero'
import type { BucketLimit } from '../../lib/token-bucket.ts'
import type { Change, Engine, Json, Row } from '../engine/types.ts'
import type { AppError } from '../protocol/down.ts'
import type { Applied, RowWrite } from '../pull/source.ts'
import type { StateConfig } from '../state/user-state.ts'

export type Token = { readonly userId: string; readonly sessionId: string; readonly expiresAtMs: number }

export type Authenticate = (token: string | undefined) => Promise<Token | { readonly refused: string }>

export type MutatorCall = {
  readonly mutator: {
    readonly mutatorName: string
    readonly fn: (options: { readonly tx: Transaction<Schema>; readonly args: Json | undefined; readonly ctx: unknown }) => Promise<void>
  }
  readonly tx: Transaction<Schema>
  readonly args: Json | undefined
  readonly userId: string
  readonly nowMs: number
  /** Grows while the mutator runs. */
  readonly writes: readonly RowWrite[]
}

/** Runs a mutator with a context of the application's own. The result travels with its writes to the source. */
export type RunMutator = (call: MutatorCall) => Promise<unknown>

export type SyncLimits = {
  readonly maxFrameBytes: number
  /** Mutations of one user, over all browsers. */
  readonly mutations: BucketLimit
  readonly maxClientsPerGroup: number
  /** Connects of one user, and those of client groups that the object has not stored. */
  readonly connects: BucketLimit
  readonly newGroups: BucketLimit
}

/** Limits the mutations of one user by rows of the replica, for example per day. One call reads the rows for all mutations of a commit. */
export type MutationBudget = (
  engine: Engine,
  userId: string,
  nowMs: number,
) => {
  /** The refusal of a mutation that the user may not make now, or null. A refused mutation still advances its client. */
  readonly refusalOf: (name: string) => AppError | null
  /** Epoch ms from which mutations are accepted again; null while they are accepted. Until then they wait in the client (SPEC R13). */
  readonly retryAt: number | null
}

export type SyncApp = StateConfig & {
  /** Named mutators. Without `runMutator`, their context is `{ userId, nowMs }`. */
  readonly mutators: AnyMutatorRegistry
  readonly authenticate: Authenticate
  readonly limits: SyncLimits
  readonly budget?: MutationBudget
  /** True for a mutation that writes much and costs its user nothing. One is committed at a time, and a pause follows (SPEC R14). */
  readonly isPaced?: (name: string) => boolean
  /** Throws when a mutator may not write this row. */
  readonly checkWrite?: (table: string, row: Row, userId: string) => void
  readonly runMutator?: RunMutator
  /** True if the user was deleted, as the rows of the replica say. The object's storage is then deleted. */
  readonly isUserDeleted?: (engine: Engine, userId: string) => boolean
  /** The refusal that a client receives for an error of a mutator, or for a name that no mutator has. */
  readonly refusalOf: (error: unknown) => AppError
}

/** `all` when the user was deleted. */
export type EndedSessions = readonly string[] | 'all'

export type CommitEvent = {
  /** Rows whose stored value changed. */
  readonly changes: readonly Change[]
  /** True if the object has a newer version than before: rows, progress or results. */
  readonly hasNewVersion: boolean
  /** The first pull since the object woke: earlier notifications may have been lost. */
  readonly isFirstSinceWake: boolean
  /** The first commit after an import. `changes` omits the imported rows. */
  readonly isAfterImport: boolean
}

/** A part of the application that follows commits and has named alarms. It runs under the object's lock and owns its state. */
export interface Feature {
  /** Work by the name of its alarm, in the order of execution. */
  readonly alarms?: { readonly [name: string]: (nowMs: number) => Promise<void> }
  /** Names of alarms to run although no time is stored for them. Called when the platform's alarm fires. */
  dueAlarms?(): readonly string[]
  /** Before mutations are committed to the source. */
  beforeCommit?(applied: readonly Applied[]): Promise<void>
  /** In the storage transaction that applied a pull; not during an import. */
  onCommit?(event: CommitEvent): void
  /** After that transaction. Calls to other objects start here and are not awaited. */
  afterCommit?(applied: readonly Applied[]): void
  /** After a task of the object. The feature may commit its own mutations here. */
  afterTask?(): Promise<void>
  onConnect?(): void
  /** Called in the storage transaction that changes desired queries, and after a connection has ended. May change rows of the replica. */
  onQueries?(): void
  onSessionsEnded?(ended: EndedSessions): void
  /** True if notifications are pulled without a connection. */
  needsNotifications?(): boolean
  /** Storage was rolled back: memory must be read again. */
  reset?(): void
}
