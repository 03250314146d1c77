/**
 * Decides whether one row belongs to one query now. Judged by its own columns first; statements are asked last and their
 * answers kept, because the rows of a batch tend to share parents. Valid for one query, one edge and one state of the replica.
 */
import { parentSql, valuesOf, witnessesSql } from './chain.ts'
import type { StoredRow } from './codec.ts'
import { type Fragment, query } from './fragment.ts'
import { type Edge, isWithin, withinSql } from './order.ts'
import type { Plan, PlanNode } from './plan.ts'
import { holds } from './predicate.ts'
import type { Sql, Version } from './types.ts'

export class Judge {
  readonly #sql: Sql
  readonly #plan: Plan
  readonly #edge: Edge
  #range: Fragment | null = null
  readonly #parents = new Answers()
  readonly #witnesses = new Answers()

  constructor(sql: Sql, plan: Plan, edge: Edge) {
    this.#sql = sql
    this.#plan = plan
    this.#edge = edge
  }

  /** The row is covered: the client must hold it. */
  isMember(node: PlanNode, row: StoredRow): boolean {
    if (node.parent === null && !isWithin(this.#plan.order, row, this.#edge)) return false
    return isPossible(node, row) && this.isLocal(node, row) && (node.parent === null || this.#hasParent(node, node.parent, row))
  }

  /** The row satisfies the node's condition, whether or not anything is above it. */
  isLocal(node: PlanNode, row: StoredRow): boolean {
    return holds(node.cond, row, (witness) => this.#isWitnessed(witness, row))
  }

  #isWitnessed(node: PlanNode, owner: StoredRow): boolean {
    return this.#witnesses.ask(node, owner, node.parentField, () => query(this.#sql, witnessesSql(node, 1), owner).length > 0)
  }

  #hasParent(node: PlanNode, parent: PlanNode, row: StoredRow): boolean {
    this.#range ??= withinSql(this.#plan.order, this.#plan.root.alias, this.#edge)
    const range = this.#range
    return this.#parents.ask(node, row, node.childField, () => query(this.#sql, parentSql(node, parent, range), row).length > 0)
  }
}

/**
 * The judges of one version: groups ask the same questions about the same rows, and a statement costs as much as everything else that is
 * done for a group. Those of a version are forgotten with the first question about the next.
 */
export class Judges {
  readonly #sql: Sql
  #version: Version = -1
  readonly #judges = new Map<Plan, Map<string, Judge>>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  of(plan: Plan, edge: Edge, version: Version): Judge {
    if (version !== this.#version) this.#judges.clear()
    this.#version = version
    const ofPlan = this.#judges.get(plan) ?? new Map<string, Judge>()
    this.#judges.set(plan, ofPlan)
    const name = edge === null ? '' : JSON.stringify(edge)
    const judge = ofPlan.get(name) ?? new Judge(this.#sql, plan, edge)
    ofPlan.set(name, judge)
    return judge
  }
}

/** The most a row's own columns can promise: every EXISTS taken as true, every inherited value compared. */
export function isPossible(node: PlanNode, row: StoredRow): boolean {
  return node.pins.every(([column, value]) => row[column] === value) && holds(node.cond, row, () => true)
}

/** Answers by node and correlation values. */
class Answers {
  readonly #known = new Map<PlanNode, Map<string | number, boolean>>()

  ask(node: PlanNode, row: StoredRow, columns: readonly string[], answer: () => boolean): boolean {
    const values = valuesOf(row, columns)
    if (values === null) return false
    const ofNode = this.#known.get(node) ?? new Map<string | number, boolean>()
    this.#known.set(node, ofNode)
    const [only] = values
    const name = values.length === 1 && only !== undefined && only !== null ? only : JSON.stringify(values)
    const known = ofNode.get(name)
    if (known !== undefined) return known
    const answered = answer()
    ofNode.set(name, answered)
    return answered
  }
}
