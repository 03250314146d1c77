/**
 * Step 3 of a mutation: runs mutators on the replica and on what the same batch has written before them. Returns the writes or the refusal
 * of each mutation. An unexpected exception is a refusal too, because the client would send the mutation again for ever.
 */
import { ApplicationError, type AST, getMutator, InputValidationError, isMutator, type Schema, type Transaction } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { logger } from '../../lib/logger.ts'
import { toStoredRow } from '../engine/codec.ts'
import { compile, existsIn } from '../engine/compile.ts'
import { holds } from '../engine/plan.ts'
import type { Engine, Json, Row, Table, Tables } from '../engine/types.ts'
import { compareKeys, keyOf } from '../engine/window.ts'
import type { MutatorCall, SyncApp } from '../object/app.ts'
import type { UserContext } from '../object/context.ts'
import type { CustomMutation } from '../protocol/up.ts'
import { maxBatchChars } from '../protocol/wire-limits.ts'
import type { Outcome, RowWrite } from '../pull/source.ts'
import type { PushedMutation } from './pending.ts'

export type RunMutation = { readonly pushed: PushedMutation; readonly outcome: Outcome }

export class UnknownMutatorError extends Error {
  override readonly name = 'UnknownMutatorError'
}

/** Runs mutations until one commit is full, at least one. */
export async function applyMutators(
  { app, state, source, userId }: UserContext,
  due: readonly PushedMutation[],
  nowMs: number,
): Promise<readonly RunMutation[]> {
  const overlay = new Overlay(state.engine, state.config.tables)
  const budget = app.budget?.(state.engine, userId, nowMs)
  const run: RunMutation[] = []
  let [chars, statements] = [0, 0]
  for (const pushed of due) {
    const error = budget?.refusalOf(pushed.mutation.name) ?? null
    const outcome: Outcome = error ? { type: 'refused', error } : await runMutation(app, overlay, pushed.mutation, userId, nowMs)
    chars += outcome.type === 'applied' ? charsIn(outcome.writes.map(({ row }) => row)) : 0
    statements += source.statementsIn(outcome)
    if (run.length > 0 && (chars > maxBatchChars || statements > source.maxStatements)) break
    run.push({ pushed, outcome })
  }
  return run
}

export type MutatorApp = Pick<SyncApp, 'tables' | 'mutators' | 'checkWrite' | 'runMutator' | 'refusalOf'>

/** A refused mutation leaves nothing in the overlay. */
export async function runMutation(
  app: MutatorApp,
  overlay: Overlay,
  mutation: Pick<CustomMutation, 'name' | 'clientID' | 'id' | 'args'>,
  userId: string,
  nowMs: number,
): Promise<Outcome> {
  const { name, clientID, id, args } = mutation
  // Zero's parameter is generic in the definitions of one registry.
  const mutator: unknown = getMutator(app.mutators as Parameters<typeof getMutator>[0], name)
  // A path may also lead to a group of mutators, or to an inherited property.
  if (!isMutator(mutator) || mutator.mutatorName !== name) return refusedBy(app, new UnknownMutatorError(name))
  const fork = overlay.fork()
  const { tx, writes } = beginTransaction({ overlay: fork, userId, clientID, mutationID: id, app })
  try {
    const effects = await (app.runMutator ?? runPlain)({ mutator, tx, args: args[0] ?? undefined, userId, nowMs, writes })
    overlay.merge(fork)
    return { type: 'applied', writes, effects: effects ?? null }
  } catch (error) {
    if (!(error instanceof ApplicationError || error instanceof InputValidationError)) logger.error('mutation_failed', error, { name })
    return refusedBy(app, error)
  }
}

const runPlain = ({ mutator, tx, args, userId, nowMs }: MutatorCall) => mutator.fn({ tx, args, ctx: { userId, nowMs } })

/** A mutation of the server itself: no client sent it, and no client receives its result. */
export const runServerMutation = (
  { app, userId }: UserContext,
  overlay: Overlay,
  { name, args }: { readonly name: string; readonly args: Json },
  nowMs: number,
): Promise<Outcome> => runMutation(app, overlay, { id: 0, clientID: '', name, args: [args] }, userId, nowMs)

export const refusedBy = (app: Pick<SyncApp, 'refusalOf'>, error: unknown): Outcome => ({ type: 'refused', error: app.refusalOf(error) })

/** In the texts of a value, at any depth. */
function charsIn(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  let chars = 0
  for (const part of Object.values(value)) chars += charsIn(part)
  return chars
}

/**
 * The transaction that mutators run in on the server. Reads see the replica and what this batch has written; writes are collected in order for
 * the source. The semantics are the client's: inserting an existing row and updating or deleting a missing one do nothing; undefined means
 * unchanged in an update and null in an insert.
 */

type ServerTx = Transaction<Schema>

type TransactionScope = {
  readonly overlay: Overlay
  readonly userId: string
  readonly clientID: string
  readonly mutationID: number
  readonly app: Pick<SyncApp, 'tables' | 'checkWrite'>
}

/** `writes` grows while the mutator runs. */
export function beginTransaction(scope: TransactionScope): { readonly tx: ServerTx; readonly writes: readonly RowWrite[] } {
  const writes: RowWrite[] = []
  const tables = Object.entries(scope.app.tables)
  const tx = {
    location: 'server',
    reason: 'authoritative',
    clientID: scope.clientID,
    mutationID: scope.mutationID,
    run: (query: Parameters<ServerTx['run']>[0]) => Promise.resolve(read(scope.overlay, query)),
    mutate: Object.fromEntries(tables.map(([name, table]) => [name, tableWriter(scope, name, table, writes)])),
  }
  // Zero's type also has a database handle and a deprecated query builder, which this server does not offer.
  return { tx: tx as unknown as ServerTx, writes }
}

function read(overlay: Overlay, query: Parameters<ServerTx['run']>[0]): unknown {
  const { ast, format } = asQueryInternals(query)
  if (ast.related?.length) throw new Error(`a mutator read rows related to ${ast.table}`)
  const rows = overlay.run(ast)
  return format.singular ? rows[0] : rows
}

function tableWriter({ overlay, userId, app }: TransactionScope, name: string, table: Table, writes: RowWrite[]) {
  const [key = 'id'] = table.primaryKey
  const complete = (row: Row): Row => Object.fromEntries(Object.keys(table.columns).map((column) => [column, row[column] ?? null]))
  const checked = (write: (row: Row, id: string) => void) => async (row: Row) => {
    const id = row[key]
    if (typeof id !== 'string') throw new Error(`a row of ${name} was written without its ${key}`)
    app.checkWrite?.(name, row, userId)
    write(row, id)
  }
  return {
    insert: checked((row, id) => {
      if (overlay.get(name, id)) return
      overlay.set(name, id, complete(row))
      writes.push({ kind: 'insert', table: name, row })
    }),
    upsert: checked((row, id) => {
      overlay.set(name, id, complete(row))
      writes.push({ kind: 'upsert', table: name, row })
    }),
    update: checked((row, id) => {
      const current = overlay.get(name, id)
      const changes = Object.fromEntries(Object.entries(row).filter(([column, value]) => value !== undefined && column !== key))
      if (!current || Object.keys(changes).length === 0) return
      overlay.set(name, id, { ...current, ...changes })
      writes.push({ kind: 'update', table: name, row: { [key]: id, ...changes } })
    }),
    delete: checked((_row, id) => {
      if (!overlay.get(name, id)) return
      overlay.set(name, id, null)
      writes.push({ kind: 'delete', table: name, row: { [key]: id } })
    }),
  }
}

type Layer = ReadonlyMap<string, ReadonlyMap<string, Row | null>>

/**
 * The replica as a mutator sees it: the rows as last read, and the writes of this batch. The replica itself is updated from the feed only,
 * so these writes end with the batch.
 */
export class Overlay {
  readonly #engine: Engine
  readonly #tables: Tables
  #written: Layer

  constructor(engine: Engine, tables: Tables, written: Layer = new Map()) {
    this.#engine = engine
    this.#tables = tables
    this.#written = written
  }

  /** A copy to run a mutation on; merge or discard it. */
  fork(): Overlay {
    return new Overlay(this.#engine, this.#tables, this.#written)
  }

  merge(fork: Overlay): void {
    this.#written = fork.#written
  }

  get(table: string, id: string): Row | undefined {
    const written = this.#written.get(table)?.get(id)
    if (written !== undefined) return written ?? undefined
    return this.#engine.get(table, { id })
  }

  /** `row` null deletes. */
  set(table: string, id: string, row: Row | null): void {
    const rows = new Map(this.#written.get(table)).set(id, row)
    this.#written = new Map(this.#written).set(table, rows)
  }

  run(ast: AST): readonly Row[] {
    const touched = this.#written.get(ast.table)
    // Only written tables need a plan. Compiling one for every read makes sending a message cost 12 % more CPU.
    if (this.#written.size === 0 || (!touched && existsIn(ast.where).length === 0)) return this.#engine.run(ast)
    const plan = compile(ast, this.#tables)
    for (const node of plan.nodes) {
      if (node !== plan.root && this.#written.has(node.table.name))
        throw new Error(`a mutator asked for ${node.table.name} through ${ast.table} after writing it`)
    }
    if (!touched || touched.size === 0) return this.#engine.run(ast)
    const { limit, ...unlimited } = ast
    // Written rows may remove or replace that many rows of the replica's result.
    const stored = this.#engine.run(limit === undefined ? unlimited : { ...unlimited, limit: limit + touched.size })
    const written = [...touched.values()].filter((row) => row !== null)
    const candidates = [...stored.filter((row) => !touched.has(String(row.id))), ...written].map((row) => ({
      row,
      stored: toStoredRow(plan.root.table, row),
    }))
    const matching = candidates.filter((candidate) => holds(plan.root.cond, candidate.stored, () => false))
    const ordered = matching.toSorted((a, b) => compareKeys(plan.order, keyOf(plan.order, a.stored), keyOf(plan.order, b.stored)))
    return ordered.slice(0, limit ?? ordered.length).map(({ row }) => row)
  }
}
