/**
 * What a batch of changes means for one query a client had at the old version: which rows enter its coverage, which may have
 * left it. Reads the replica as it is now; the past is known from old images and the edge of then.
 *
 * Entering must be found exactly, leaving may be guessed generously: a candidate for deletion is checked later. An EXISTS of an
 * old image is judged against present witnesses, which errs only when a witness changed as well, and then `#flip` comes by.
 */
import { belowSql, childTowards, coveredSql, ownersSql, valuesOf, witnessesSql } from './chain.ts'
import type { RowChange } from './changes.ts'
import { type RowKey, rowKeyOf, type StoredRow } from './codec.ts'
import { type Fragment, query } from './fragment.ts'
import { isPossible, type Judge } from './judge.ts'
import { betweenSql, compareKeys, type Edge, isWithin, withinSql } from './order.ts'
import type { Plan, PlanNode } from './plan.ts'
import type { RowOps, Sink } from './row-ops.ts'
import type { Sql, Table } from './types.ts'

/** Of a query whose edge of then was forgotten the client may hold anything. */
export type StepState = { readonly alive: boolean; readonly then: Edge | 'forgotten'; readonly now: Edge }

export class QueryStep {
  readonly #sql: Sql
  readonly #plan: Plan
  readonly #put: Sink
  readonly #mayDelete: Sink
  readonly #alive: boolean
  readonly #then: Edge
  readonly #now: Edge
  readonly #isForgotten: boolean
  readonly #judge: Judge
  readonly #changes: readonly RowChange[]
  readonly #touched = new Map<PlanNode, ReadonlySet<RowKey> | null>()
  readonly #still = new Map<PlanNode, boolean>()
  readonly #judgedOwners = new Map<PlanNode, Set<RowKey>>()

  /** `judge` is that of the edge now. A query that is not alive has nothing to enter; what it covered up to the edge of `then` may leave. */
  constructor(sql: Sql, plan: Plan, judge: Judge, ops: RowOps, changes: readonly RowChange[], state: StepState) {
    this.#sql = sql
    this.#plan = plan
    this.#put = ops.puts
    this.#mayDelete = ops.candidates
    this.#changes = changes
    this.#alive = state.alive
    this.#isForgotten = state.then === 'forgotten'
    this.#then = state.then === 'forgotten' ? null : state.then
    this.#now = state.now
    this.#judge = judge
  }

  run(): void {
    for (const change of this.#changes) {
      for (const node of this.#plan.byTable.get(change.table.name) ?? []) this.#changed(node, change)
    }
    if (this.#alive) this.#edgeMoved()
    else this.#coverage(withinSql(this.#plan.order, this.#plan.root.alias, this.#then), this.#mayDelete)
  }

  isMember(table: Table, row: StoredRow): boolean {
    return this.#alive && (this.#plan.byTable.get(table.name) ?? []).some((node) => this.#judge.isMember(node, row))
  }

  /** Puts everything the query covers now. */
  hydrate(): void {
    this.#coverage(withinSql(this.#plan.order, this.#plan.root.alias, this.#now), this.#put)
  }

  #changed(node: PlanNode, { table, old, row, quiet, written }: RowChange): void {
    const isMember = this.#alive && row !== null && this.#judge.isMember(node, row)
    if (isMember) this.#put.row(table, row, written !== null && old !== null && this.#isHeld(node, old, row) ? written : null)
    if (quiet) return
    const linked = old !== null && row !== null && node.linkage.every((column) => old[column] === row[column])
    const reachable = old !== null && this.#isReachable(node, old)
    const wasMember = reachable && this.#judge.isLocal(node, old)
    // With witnesses of its own the row may have belonged although present witnesses say otherwise.
    const mayHaveBeen = node.witnessTables.size > 0 ? reachable : wasMember
    if (old !== null && mayHaveBeen && !(isMember && linked)) this.#below(node, old, this.#mayDelete)
    if (isMember && !(wasMember && linked)) this.#below(node, row, this.#put)
    if (node.kind === 'exists') this.#witnessChanged(node, old, row, linked, wasMember)
  }

  /** Whether a member was one then, beyond doubt: it was by itself, and nothing else has changed that had a say in it. */
  #isHeld(node: PlanNode, old: StoredRow, row: StoredRow): boolean {
    const isLinked = node.childField.every((column) => old[column] === row[column])
    return isLinked && this.#isStill(node) && this.#isReachable(node, old) && this.#judge.isLocal(node, old)
  }

  /** The rows above a node, what an EXISTS there or here rests on, and the edge above them are what they were. */
  #isStill(node: PlanNode): boolean {
    const known = this.#still.get(node)
    if (known !== undefined) return known
    const above = node.parent === null || (this.#then === this.#now && this.#isStill(node.parent) && !this.#isLoud(node.parent.table.name))
    const still = !this.#isForgotten && above && ![...node.witnessTables].some((name) => this.#isLoud(name))
    this.#still.set(node, still)
    return still
  }

  #isLoud(tableName: string): boolean {
    return this.#changes.some(({ table, quiet }) => !quiet && table.name === tableName)
  }

  #witnessChanged(node: PlanNode, old: StoredRow | null, row: StoredRow | null, linked: boolean, was: boolean): void {
    const is = row !== null && isPossible(node, row) && this.#judge.isLocal(node, row)
    const certain = node.witnessTables.size === 0
    if (certain && was === is && (linked || !is)) return
    if (old !== null && (!certain || was)) this.#flip(node, old)
    if (row !== null && (!certain || is)) this.#flip(node, row)
  }

  /** A witness came, went or moved: every row whose EXISTS it may have decided is judged again. */
  #flip(node: PlanNode, witness: StoredRow): void {
    const { parent } = node
    if (parent === null || valuesOf(witness, node.childField) === null) return
    for (const owner of query(this.#sql, ownersSql(node, parent), witness)) {
      if (!this.#isReachable(parent, owner) || this.#isSettled(node, owner) || this.#isJudged(parent, owner)) continue
      const give = this.#alive && this.#judge.isMember(parent, owner) ? this.#put : this.#mayDelete
      give.row(parent.table, owner)
      this.#below(parent, owner, give)
      if (parent.kind === 'exists') this.#flip(parent, owner)
    }
  }

  /** A witness that did not change proves that the EXISTS was and is true. */
  #isSettled(node: PlanNode, owner: StoredRow): boolean {
    const touched = this.#touchedWitnesses(node)
    if (touched === null) return false
    const witnesses = query(this.#sql, witnessesSql(node, touched.size + 1), owner)
    return witnesses.some((witness) => !touched.has(rowKeyOf(node.table, witness)))
  }

  /** Rows of the node's table that changed; `null` when those that did not may have turned by witnesses of their own. */
  #touchedWitnesses(node: PlanNode): ReadonlySet<RowKey> | null {
    const known = this.#touched.get(node)
    if (known !== undefined) return known
    const loud = this.#changes.filter(({ quiet }) => !quiet)
    const isCertain = !loud.some(({ table }) => node.witnessTables.has(table.name))
    const touched = isCertain ? new Set(loud.filter(({ table }) => table === node.table).map(({ key }) => key)) : null
    this.#touched.set(node, touched)
    return touched
  }

  /** May have been covered then. What lies beyond the edge of then is `#edgeMoved`'s affair. */
  #isReachable(node: PlanNode, row: StoredRow): boolean {
    return isPossible(node, row) && (node.parent !== null || isWithin(this.#plan.order, row, this.#then))
  }

  #isJudged(node: PlanNode, row: StoredRow): boolean {
    const judged = this.#judgedOwners.get(node) ?? new Set<RowKey>()
    this.#judgedOwners.set(node, judged)
    const key = rowKeyOf(node.table, row)
    if (judged.has(key)) return true
    judged.add(key)
    return false
  }

  #edgeMoved(): void {
    const { order, root } = this.#plan
    const [then, now] = [this.#then, this.#now]
    if (then === now) return
    const grows = then !== null && (now === null || compareKeys(order, now, then) > 0)
    if (grows) this.#coverage(betweenSql(order, root.alias, then, now), this.#put)
    else if (now !== null) this.#coverage(betweenSql(order, root.alias, now, then), this.#mayDelete)
  }

  #coverage(range: Fragment, give: Sink): void {
    for (const node of this.#plan.nodes) give.rows(node.table, coveredSql(node, range), {})
  }

  #below(node: PlanNode, row: StoredRow, give: Sink): void {
    for (const descendant of node.descendants) {
      if (valuesOf(row, childTowards(node, descendant).parentField) === null) continue
      give.rows(descendant.table, belowSql(descendant, node), row)
    }
  }
}
