/**
 * Decides whether one row is covered by one query now. Tests the row's own columns first. Results of statements are cached, because the
 * rows of a batch often share parents. Valid for one query, one bound and one state of the replica.
 */
import { existsMatchesSql, parentSql, valuesOf } from './chain.ts'
import type { StoredRow } from './codec.ts'
import { type Fragment, query } from './fragment.ts'
import { isWithin, type WindowBound, withinSql } from './order.ts'
import type { Plan, PlanNode } from './plan.ts'
import { holds } from './predicate.ts'
import type { Sql, Version } from './types.ts'

export class MembershipTest {
  readonly #sql: Sql
  readonly #plan: Plan
  readonly #bound: WindowBound
  #range: Fragment | null = null
  readonly #parents = new CachedResults()
  readonly #matches = new CachedResults()

  constructor(sql: Sql, plan: Plan, bound: WindowBound) {
    this.#sql = sql
    this.#plan = plan
    this.#bound = bound
  }

  /** The row is covered: the client must hold it. */
  isMember(node: PlanNode, row: StoredRow): boolean {
    if (node.parent === null && !isWithin(this.#plan.order, row, this.#bound)) return false
    return isPossible(node, row) && this.isLocal(node, row) && (node.parent === null || this.#hasParent(node, node.parent, row))
  }

  /** The row matches the node's condition, whether or not a parent exists. */
  isLocal(node: PlanNode, row: StoredRow): boolean {
    return holds(node.cond, row, (match) => this.#hasExistsMatch(match, row))
  }

  #hasExistsMatch(node: PlanNode, owner: StoredRow): boolean {
    return this.#matches.get(node, owner, node.parentField, () => query(this.#sql, existsMatchesSql(node, 1), owner).length > 0)
  }

  #hasParent(node: PlanNode, parent: PlanNode, row: StoredRow): boolean {
    this.#range ??= withinSql(this.#plan.order, this.#plan.root.alias, this.#bound)
    const range = this.#range
    return this.#parents.get(node, row, node.childField, () => query(this.#sql, parentSql(node, parent, range), row).length > 0)
  }
}

/**
 * The membership tests of one version, shared by groups: a statement costs as much as all other work for a group. Dropped with the first
 * call for the next version.
 */
export class MembershipTests {
  readonly #sql: Sql
  #version: Version = -1
  readonly #membershipTests = new Map<Plan, Map<string, MembershipTest>>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  of(plan: Plan, bound: WindowBound, version: Version): MembershipTest {
    if (version !== this.#version) this.#membershipTests.clear()
    this.#version = version
    const ofPlan = this.#membershipTests.get(plan) ?? new Map<string, MembershipTest>()
    this.#membershipTests.set(plan, ofPlan)
    const name = bound === null ? '' : JSON.stringify(bound)
    const membership = ofPlan.get(name) ?? new MembershipTest(this.#sql, plan, bound)
    ofPlan.set(name, membership)
    return membership
  }
}

/** The weakest condition on a row's own columns: every EXISTS is true, every inherited value is compared. */
export function isPossible(node: PlanNode, row: StoredRow): boolean {
  return node.fixedValues.every(([column, value]) => row[column] === value) && holds(node.cond, row, () => true)
}

/** Results by node and correlation values. */
class CachedResults {
  readonly #known = new Map<PlanNode, Map<string | number, boolean>>()

  get(node: PlanNode, row: StoredRow, columns: readonly string[], compute: () => boolean): boolean {
    const values = valuesOf(row, columns)
    if (values === null) return false
    const ofNode = this.#known.get(node) ?? new Map<string | number, boolean>()
    this.#known.set(node, ofNode)
    const [only] = values
    const name = values.length === 1 && only !== undefined && only !== null ? only : JSON.stringify(values)
    const known = ofNode.get(name)
    if (known !== undefined) return known
    const result = compute()
    ofNode.set(name, result)
    return result
  }
}
