/**
 * The delta from a client group's version to now, from the log, the bounds and the versions of queries only: no state per row or client.
 * The only write is a bound that moved. Rows are read while they are sent.
 */

import { type RowKey, rowKeyOf, type StoredRow, toWireID, toWireText } from './codec.ts'
import { type Fragment, query, queryEach } from './fragment.ts'
import type { RowChange, Written } from './log.ts'
import { belowSql, childTowards, coveredSql, existsMatchesSql, type Plan, type PlanNode, parentRowsSql, valuesOf } from './plan.ts'
import { type Group, isLive, type RegisteredQuery, type Registry } from './queries.ts'
import type { Delta, Sql, Table, Version } from './types.ts'
import {
  appendBound,
  betweenSql,
  boundAt,
  compareKeys,
  currentBound,
  type HysteresisOf,
  isPossible,
  isWithin,
  MembershipTest,
  mayMove,
  measureBound,
  movedAt,
  type WindowBound,
  withinSql,
} from './window.ts'

export type SyncContext = {
  readonly sql: Sql
  readonly registry: Registry
  readonly version: Version
  readonly hysteresisOf: HysteresisOf
  readonly boundHistory: number
}

export type Difference = Omit<Delta, 'rows'> & { readonly rows: Iterable<StoredOp> }

/** All rows, for a client that holds nothing or is cleared. */
export function syncAll(context: SyncContext, group: Group, clear: boolean): Difference {
  const queries = group.all()
  moveBounds(context, group, queries, null)
  const ops = new RowOps(context.sql)
  for (const registered of queries) stepOf(context, registered, null, ops, []).hydrate()
  return { version: context.version, rows: ops.finish([], () => true), got: queries.map(hashOf), removed: [], clear }
}

/** `changes`: those above `since`. */
export function syncSince(context: SyncContext, group: Group, since: Version, changes: readonly RowChange[]): Difference {
  const affected = group.affectedBy(since, changes)
  moveBounds(context, group, affected, { since, changes })
  const ops = new RowOps(context.sql)
  const removed = context.registry.removedSince(group, since)
  const steps = new Map(
    [...removed, ...affected].map((registered) => [registered, stepFor(context, group, registered, since, ops, changes)]),
  )
  /** A row that left one query may still be covered by another. */
  const isMember = (table: Table, row: StoredRow) =>
    group.readersOf(table.name).some((registered) => {
      const step = steps.get(registered) ?? stepOf(context, registered, currentBound(registered.bounds), ops, [])
      steps.set(registered, step)
      return step.isMember(table, row)
    })
  const fresh = affected.filter(({ got }) => got > since)
  return { version: context.version, rows: ops.finish(changes, isMember), ...hashes(fresh, removed), clear: false }
}

/** Runs the step; membership tests use it afterwards. */
function stepFor(
  context: SyncContext,
  group: Group,
  registered: RegisteredQuery,
  since: Version,
  ops: RowOps,
  changes: readonly RowChange[],
): QueryStep {
  const isHeld = registered.got <= since
  const then = boundAt(registered.bounds, since)
  const step = stepOf(context, registered, then, ops, changes)
  if (isHeld) step.run()
  if (!isLive(registered) || (isHeld && then !== 'unknown')) return step
  // If its bound is not stored, the client may hold or lack any row of the query.
  const held = isHeld ? undefined : heldBound(group, registered, since)
  if (held === undefined) step.hydrate()
  else step.hydrateBeyond(held)
  return step
}

/**
 * The bound up to which the client has the rows of an added query after this delta, from other windows of the same rows (SPEC E21). Undefined
 * without such a window.
 */
function heldBound(group: Group, added: RegisteredQuery, since: Version): WindowBound | undefined {
  const held = group.all().filter(({ got, unlimitedAst }) => got <= since && unlimitedAst === added.unlimitedAst)
  const bounds = held.map((registered) => currentBound(registered.bounds))
  return bounds.reduce<WindowBound | undefined>((most, bound) => {
    if (most === undefined || bound === null) return bound
    return most === null || compareKeys(added.plan.order, most, bound) >= 0 ? most : bound
  }, undefined)
}

function stepOf(context: SyncContext, registered: RegisteredQuery, then: StepState['then'], ops: RowOps, changes: readonly RowChange[]) {
  const now = currentBound(registered.bounds)
  const membership = new MembershipTest(context.sql, registered.plan, now)
  return new QueryStep(context.sql, registered.plan, membership, ops, changes, { isLive: isLive(registered), then, now })
}

/**
 * Measures the windows that may have moved. `synced` has the changes since the group's last sync, `null` when they are not known: then
 * every window is measured (SPEC E7). A window that was added or moved since was measured in between, so net changes are not sufficient for
 * it.
 */
function moveBounds(
  context: SyncContext,
  group: Group,
  queries: readonly RegisteredQuery[],
  synced: { since: Version; changes: readonly RowChange[] } | null,
): void {
  const { sql, version, hysteresisOf, boundHistory } = context
  for (const registered of queries) {
    const { plan, bounds } = registered
    if (plan.window === null) continue
    const bound = currentBound(bounds)
    const isMeasured = synced !== null && movedAt(bounds) <= synced.since
    if (isMeasured && !mayMove(sql, plan, bound, synced.changes)) continue
    const measured = measureBound(sql, plan, bound, hysteresisOf)
    if (measured !== bound) group.moveBound(registered, appendBound(bounds, [version, measured], boundHistory))
  }
}

/** A hash that was removed and added again was complete before and is complete now. */
function hashes(fresh: readonly RegisteredQuery[], removed: readonly RegisteredQuery[]): Pick<Delta, 'got' | 'removed'> {
  const [came, went] = [new Set(fresh.map(hashOf)), new Set(removed.map(hashOf))]
  return { got: [...came].filter((hash) => !went.has(hash)), removed: [...went].filter((hash) => !came.has(hash)) }
}

function hashOf(registered: RegisteredQuery): string {
  return registered.query.hash
}

/** The client may hold any row of a query whose old bound is not stored. */
type StepState = { readonly isLive: boolean; readonly then: WindowBound | 'unknown'; readonly now: WindowBound }

/**
 * The effect of changes on one query that a client had at the old version: rows that enter its cover, and rows that may have left it. Reads
 * the replica as it is now; the old state is known from old images and the old bound. Rows to put are exact. Rows to delete are candidates
 * and are tested again. An EXISTS of an old image is tested with current matches; `#flip` corrects the case that a match changed too.
 */
class QueryStep {
  readonly #sql: Sql
  readonly #plan: Plan
  readonly #put: Sink
  readonly #mayDelete: Sink
  readonly #isLive: boolean
  readonly #then: WindowBound
  readonly #now: WindowBound
  readonly #isBoundUnknown: boolean
  readonly #membership: MembershipTest
  readonly #changes: readonly RowChange[]
  readonly #changedKeys = new Map<PlanNode, ReadonlySet<RowKey> | null>()
  readonly #unchanged = new Map<PlanNode, boolean>()
  readonly #testedOwners = new Map<PlanNode, Set<RowKey>>()

  /**
   * `membership` tests with the current bound. A removed query has no entering rows; the rows that it covered up to the old bound may
   * leave.
   */
  constructor(sql: Sql, plan: Plan, membership: MembershipTest, ops: RowOps, changes: readonly RowChange[], state: StepState) {
    this.#sql = sql
    this.#plan = plan
    this.#put = ops.puts
    this.#mayDelete = ops.candidates
    this.#changes = changes
    this.#isLive = state.isLive
    this.#isBoundUnknown = state.then === 'unknown'
    this.#then = state.then === 'unknown' ? null : state.then
    this.#now = state.now
    this.#membership = membership
  }

  run(): void {
    for (const change of this.#changes) {
      for (const node of this.#plan.byTable.get(change.table.name) ?? []) this.#changed(node, change)
    }
    if (this.#isLive) this.#boundMoved()
    else this.#coverage(withinSql(this.#plan.order, this.#plan.root.alias, this.#then), this.#mayDelete)
  }

  isMember(table: Table, row: StoredRow): boolean {
    return this.#isLive && (this.#plan.byTable.get(table.name) ?? []).some((node) => this.#membership.isMember(node, row))
  }

  /** Puts all rows that the query covers now. */
  hydrate(): void {
    this.#coverage(withinSql(this.#plan.order, this.#plan.root.alias, this.#now), this.#put)
  }

  /** Puts the rows that the query covers now beyond an earlier bound, or beyond that of another window of the same rows. */
  hydrateBeyond(bound: WindowBound): void {
    const { order, root } = this.#plan
    if (bound === null || (this.#now !== null && compareKeys(order, this.#now, bound) <= 0)) return
    this.#coverage(betweenSql(order, root.alias, bound, this.#now), this.#put)
  }

  #changed(node: PlanNode, { table, old, row, isNonStructural, written }: RowChange): void {
    const isMember = this.#isLive && row !== null && this.#membership.isMember(node, row)
    if (isMember) this.#put.row(table, row, written !== null && old !== null && this.#isHeld(node, old, row) ? written : null)
    if (isNonStructural) return
    const isCorrelationEqual = old !== null && row !== null && node.correlationColumns.every((column) => old[column] === row[column])
    const reachable = old !== null && this.#isReachable(node, old)
    const wasMember = reachable && this.#membership.isLocal(node, old)
    // The row may have matched then with EXISTS matches that are gone.
    const mayHaveBeen = node.existsTables.size > 0 ? reachable : wasMember
    if (old !== null && mayHaveBeen && !(isMember && isCorrelationEqual)) this.#below(node, old, this.#mayDelete)
    if (isMember && !(wasMember && isCorrelationEqual)) this.#below(node, row, this.#put)
    if (node.kind === 'exists') this.#existsMatchChanged(node, old, row, isCorrelationEqual, wasMember)
  }

  /** True if a member certainly was a member then: by its own columns, and nothing else that decides it has changed. */
  #isHeld(node: PlanNode, old: StoredRow, row: StoredRow): boolean {
    const isCorrelated = node.childField.every((column) => old[column] === row[column])
    return isCorrelated && this.#isUnchanged(node) && this.#isReachable(node, old) && this.#membership.isLocal(node, old)
  }

  /** The rows above a node, the EXISTS matches there and here, and the bound are unchanged. */
  #isUnchanged(node: PlanNode): boolean {
    const cached = this.#unchanged.get(node)
    if (cached !== undefined) return cached
    const above =
      node.parent === null ||
      (this.#then === this.#now && this.#isUnchanged(node.parent) && !this.#hasStructuralChange(node.parent.table.name))
    const unchanged = !this.#isBoundUnknown && above && ![...node.existsTables].some((name) => this.#hasStructuralChange(name))
    this.#unchanged.set(node, unchanged)
    return unchanged
  }

  #hasStructuralChange(tableName: string): boolean {
    return this.#changes.some(({ table, isNonStructural }) => !isNonStructural && table.name === tableName)
  }

  #existsMatchChanged(node: PlanNode, old: StoredRow | null, row: StoredRow | null, isCorrelationEqual: boolean, was: boolean): void {
    const is = row !== null && isPossible(node, row) && this.#membership.isLocal(node, row)
    const certain = node.existsTables.size === 0
    if (certain && was === is && (isCorrelationEqual || !is)) return
    if (old !== null && (!certain || was)) this.#flip(node, old)
    if (row !== null && (!certain || is)) this.#flip(node, row)
  }

  /** An EXISTS match appeared, disappeared or moved: tests every row again whose EXISTS it can decide. */
  #flip(node: PlanNode, match: StoredRow): void {
    const { parent } = node
    if (parent === null || valuesOf(match, node.childField) === null) return
    for (const owner of query(this.#sql, parentRowsSql(node, parent), match)) {
      if (!this.#isReachable(parent, owner) || this.#isDecidedByUnchangedMatch(node, owner) || this.#isTested(parent, owner)) continue
      const sink = this.#isLive && this.#membership.isMember(parent, owner) ? this.#put : this.#mayDelete
      sink.row(parent.table, owner)
      this.#below(parent, owner, sink)
      if (parent.kind === 'exists') this.#flip(parent, owner)
    }
  }

  /** An unchanged match proves that the EXISTS was and is true. */
  #isDecidedByUnchangedMatch(node: PlanNode, owner: StoredRow): boolean {
    const changedKeys = this.#changedMatches(node)
    if (changedKeys === null) return false
    const matches = query(this.#sql, existsMatchesSql(node, changedKeys.size + 1), owner)
    return matches.some((match) => !changedKeys.has(rowKeyOf(node.table, match)))
  }

  /** Changed rows of the node's table; `null` if unchanged rows may have entered or left by their own EXISTS matches. */
  #changedMatches(node: PlanNode): ReadonlySet<RowKey> | null {
    const cached = this.#changedKeys.get(node)
    if (cached !== undefined) return cached
    const structural = this.#changes.filter(({ isNonStructural }) => !isNonStructural)
    const isCertain = !structural.some(({ table }) => node.existsTables.has(table.name))
    const changedKeys = isCertain ? new Set(structural.filter(({ table }) => table === node.table).map(({ key }) => key)) : null
    this.#changedKeys.set(node, changedKeys)
    return changedKeys
  }

  /** The row may have been covered at the old version. `#boundMoved` handles rows beyond the old bound. */
  #isReachable(node: PlanNode, row: StoredRow): boolean {
    return isPossible(node, row) && (node.parent !== null || isWithin(this.#plan.order, row, this.#then))
  }

  #isTested(node: PlanNode, row: StoredRow): boolean {
    const tested = this.#testedOwners.get(node) ?? new Set<RowKey>()
    this.#testedOwners.set(node, tested)
    const key = rowKeyOf(node.table, row)
    if (tested.has(key)) return true
    tested.add(key)
    return false
  }

  #boundMoved(): void {
    const { order, root } = this.#plan
    const [then, now] = [this.#then, this.#now]
    if (then === now) return
    const grows = then !== null && (now === null || compareKeys(order, now, then) > 0)
    if (grows) this.hydrateBeyond(then)
    else if (now !== null) this.#coverage(betweenSql(order, root.alias, now, then), this.#mayDelete)
  }

  #coverage(range: Fragment, sink: Sink): void {
    for (const node of this.#plan.nodes) sink.rows(node.table, coveredSql(node, range), {})
  }

  #below(node: PlanNode, row: StoredRow, sink: Sink): void {
    for (const descendant of node.descendants) {
      if (valuesOf(row, childTowards(node, descendant).parentField) === null) continue
      sink.rows(descendant.table, belowSql(descendant, node), row)
    }
  }
}

/** One op. The row is the current one or the last one; for an update with the columns to send. */
export type StoredOp =
  | { readonly op: 'put' | 'del'; readonly table: Table; readonly row: StoredRow }
  | { readonly op: 'update'; readonly table: Table; readonly row: StoredRow; readonly columns: readonly string[] }

/** Receives the results of a step: single rows, and sets as a statement about the given row. */
type Sink = {
  /** `written`: the client certainly holds the row, and at most these columns differ. */
  row(table: Table, row: StoredRow, written?: Written): void
  rows(table: Table, statement: Fragment, given: StoredRow): void
}

type IsMember = (table: Table, row: StoredRow) => boolean

/**
 * Collects the ops of a delta: rows to put, and rows that the client may hold and should not. Sets are stored as statements and read while
 * they are sent, so a set of any size needs no memory. A candidate is deleted only if no live query covers it (SPEC E5: one op per row, put
 * and update win over del).
 */
class RowOps {
  readonly #puts: CollectedRows
  readonly #candidates: CollectedRows

  constructor(sql: Sql) {
    this.#puts = new CollectedRows(sql)
    this.#candidates = new CollectedRows(sql)
  }

  get puts(): Sink {
    return this.#puts
  }

  /** The client may hold these unchanged rows. */
  get candidates(): Sink {
    return this.#candidates
  }

  /** Reads and returns the ops, updates first. `isMember` tests whether a live query covers a row now. */
  *finish(changes: readonly RowChange[], isMember: IsMember): Generator<StoredOp> {
    yield* this.#puts.updates()
    for (const [table, row] of this.#puts.each()) yield { op: 'put', table, row }
    yield* this.#deletions(changes, isMember)
  }

  *#deletions(changes: readonly RowChange[], isMember: IsMember): Generator<StoredOp> {
    const sent = new Map<Table, Set<RowKey>>()
    for (const { table, key, old, row, isNonStructural } of changes) {
      // The client cannot have a row that did not exist then.
      if (!isNonStructural && old !== null && !this.#puts.has(table, key) && (row === null || !isMember(table, row))) {
        ofTable(sent, table).add(key)
        yield { op: 'del', table, row: old }
      }
    }
    for (const [table, row] of this.#candidates.each()) {
      if (sent.get(table)?.has(rowKeyOf(table, row)) || isMember(table, row)) continue
      yield { op: 'del', table, row }
    }
  }
}

type CollectedRow = { readonly row: StoredRow; readonly written: Written }

/** Single rows are in memory; sets are not. */
class CollectedRows implements Sink {
  readonly #sql: Sql
  readonly #single = new Map<Table, Map<RowKey, CollectedRow>>()
  readonly #sets = new Map<Table, { readonly statement: Fragment; readonly given: StoredRow }[]>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The written columns stay if one query gives them. */
  row(table: Table, row: StoredRow, written: Written = null): void {
    const ofThis = this.#single.get(table) ?? new Map<RowKey, CollectedRow>()
    this.#single.set(table, ofThis)
    const key = rowKeyOf(table, row)
    ofThis.set(key, { row, written: written ?? ofThis.get(key)?.written ?? null })
  }

  rows(table: Table, statement: Fragment, given: StoredRow): void {
    const ofThis = this.#sets.get(table) ?? []
    this.#sets.set(table, ofThis)
    ofThis.push({ statement, given })
  }

  has(table: Table, key: RowKey): boolean {
    return this.#single.get(table)?.has(key) === true
  }

  *updates(): Generator<StoredOp> {
    for (const [table, rows] of this.#single)
      for (const { row, written } of rows.values()) if (written !== null) yield { op: 'update', table, row, columns: written }
  }

  /** Every row once, except for updates. The keys of sent rows stay in memory only while another set of the same table follows. */
  *each(): Generator<readonly [Table, StoredRow]> {
    for (const [table, rows] of this.#single) for (const { row, written } of rows.values()) if (written === null) yield [table, row]
    for (const [table, sets] of this.#sets) {
      const single = this.#single.get(table)
      const sent = new Set<RowKey>()
      for (const [i, { statement, given }] of sets.entries()) {
        const isLast = i === sets.length - 1
        for (const row of queryEach(this.#sql, statement, given)) {
          const key = isLast && sent.size === 0 && !single ? null : rowKeyOf(table, row)
          if (key !== null && (single?.has(key) || sent.has(key))) continue
          if (key !== null && !isLast) sent.add(key)
          yield [table, row]
        }
      }
    }
  }
}

function ofTable(keys: Map<Table, Set<RowKey>>, table: Table): Set<RowKey> {
  const ofThis = keys.get(table) ?? new Set<RowKey>()
  keys.set(table, ofThis)
  return ofThis
}

/** JSON texts of `RowOp`. */
export function* toRowTexts(ops: Iterable<StoredOp>): Generator<string> {
  for (const stored of ops) yield toRowText(stored)
}

function toRowText(stored: StoredOp): string {
  const { op, table, row } = stored
  const head = `{"op":"${op}","tableName":${JSON.stringify(table.name)},`
  if (op === 'put') return `${head}"value":${toWireText(table, row)}}`
  const id = `"id":${JSON.stringify(toWireID(table, row))}`
  return op === 'update' ? `${head}${id},"merge":${toWireText(table, row, stored.columns)}}` : `${head}${id}}`
}
