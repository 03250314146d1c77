/** Decides whether one row is covered by one query now. Tests the row's own columns first. Valid for one query and one bound. */

import type { StoredRow } from './codec.ts'
import { type Fragment, query } from './fragment.ts'
import { isWithin, type WindowBound, withinSql } from './order.ts'
import type { Plan, PlanNode } from './plan.ts'
import { existsMatchesSql, parentSql, valuesOf } from './plan-sql.ts'
import { holds } from './predicate.ts'
import type { Sql } from './types.ts'

export class MembershipTest {
  readonly #sql: Sql
  readonly #plan: Plan
  readonly #bound: WindowBound
  #range: Fragment | null = null

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
    return valuesOf(owner, node.parentField) !== null && query(this.#sql, existsMatchesSql(node, 1), owner).length > 0
  }

  #hasParent(node: PlanNode, parent: PlanNode, row: StoredRow): boolean {
    this.#range ??= withinSql(this.#plan.order, this.#plan.root.alias, this.#bound)
    return valuesOf(row, node.childField) !== null && query(this.#sql, parentSql(node, parent, this.#range), row).length > 0
  }
}

/** The weakest condition on a row's own columns: every EXISTS is true, every inherited value is compared. */
export function isPossible(node: PlanNode, row: StoredRow): boolean {
  return node.fixedValues.every(([column, value]) => row[column] === value) && holds(node.cond, row, () => true)
}
