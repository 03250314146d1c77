/**
 * The effect of changes on one query that a client had at the old version: rows that enter its cover, and rows that may have left it. Reads
 * the replica as it is now; the old state is known from old images and the old bound. Rows to put are exact. Rows to delete are candidates
 * and are tested again. An EXISTS of an old image is tested with current matches; `#flip` corrects the case that a match changed too.
 */

import type { RowChange } from './changes.ts'
import { type RowKey, rowKeyOf, type StoredRow } from './codec.ts'
import { type Fragment, query } from './fragment.ts'
import { isPossible, type MembershipTest } from './membership.ts'
import { betweenSql, compareKeys, isWithin, type WindowBound, withinSql } from './order.ts'
import type { Plan, PlanNode } from './plan.ts'
import { belowSql, childTowards, coveredSql, existsMatchesSql, parentRowsSql, valuesOf } from './plan-sql.ts'
import type { RowOps, Sink } from './row-ops.ts'
import type { Sql, Table } from './types.ts'

/** The client may hold any row of a query whose old bound is not stored. */
export type StepState = { readonly isLive: boolean; readonly then: WindowBound | 'unknown'; readonly now: WindowBound }

export class QueryStep {
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
