/**
 * Measures the bound of a window. A window has at least `limit` rows unless it is open, and at most `limit` plus hysteresis. In between the
 * bound stays, so that most inserts and deletes do not move it (SPEC E6, E7).
 */

import type { StoredRow } from './codec.ts'
import { bind, combine, type Fragment, frag, join, query, raw } from './fragment.ts'
import type { RowChange } from './log.ts'
import {
  columnSql,
  compareValues,
  existsMatchesSql,
  holds,
  type Order,
  type OrderPart,
  type Plan,
  type PlanNode,
  parentSql,
  tableSql,
  valuesOf,
  type Window,
} from './plan.ts'
import type { Sql, SqlValue, Version } from './types.ts'

export type HysteresisOf = (limit: number) => number

/** Chosen: half a window of surplus rows costs less than moving the bound with every insert. */
export function defaultHysteresisOf(limit: number): number {
  return Math.max(5, Math.floor(limit / 2))
}

/** The bound of a new window. */
export function firstBound(sql: Sql, plan: Plan): WindowBound {
  return plan.window === null ? null : keyAt(sql, plan, plan.window, plan.window.limit)
}

/** The current bound, given the previous one; the same object when it does not move. */
export function measureBound(sql: Sql, plan: Plan, bound: WindowBound, hysteresisOf: HysteresisOf): WindowBound {
  const { window } = plan
  if (window === null) return bound
  const last = keyAt(sql, plan, window, window.limit)
  if (last === null) return null
  const comparison = bound === null ? -1 : compareKeys(window.order, last, bound)
  if (comparison === 0) return bound
  if (comparison > 0) return last
  const surplus = keyAt(sql, plan, window, window.limit + hysteresisOf(window.limit) + 1)
  const trims = surplus !== null && (bound === null || compareKeys(window.order, surplus, bound) <= 0)
  return trims ? last : bound
}

/**
 * True if the number of rows within the bound may differ from the last measurement, given all changes since. Measuring every window after
 * every change takes 84 statements in place of 18 for an answer that four browsers receive, and 69 % more CPU.
 */
export function mayMove(sql: Sql, plan: Plan, bound: WindowBound, changes: readonly RowChange[]): boolean {
  const { root, window } = plan
  if (window === null) return false
  const membership = new MembershipTest(sql, plan, bound)
  const counts = (row: StoredRow | null) =>
    row !== null && isWithin(window.order, row, bound) && isPossible(root, row) && membership.isLocal(root, row)
  return changes.some(({ table, old, row, isNonStructural }) => {
    if (isNonStructural) return false
    return root.existsTables.has(table.name) || (table.name === root.table.name && counts(old) !== counts(row))
  })
}

/** The sort key of the `position`-th matching root row, counted from 1; `null` when there are fewer. */
function keyAt(sql: Sql, plan: Plan, window: Window, position: number): Key | null {
  const { root } = plan
  const columns = join(
    window.order.map((part) => columnSql(root.alias, part.column)),
    ', ',
  )
  const order = orderBySql(window.order, root.alias)
  const statement = frag`select ${columns} from ${tableSql(root)} where ${root.local} order by ${order} limit 1 offset ${bind(position - 1)}`
  const [row] = query(sql, statement)
  return row === undefined ? null : keyOf(window.order, row)
}

/**
 * The order of a window, and its bound. A bound is a sort key, not a row: its row may be deleted. A bound `null` is open: every row is
 * within. NULL sorts first ascending and last descending, as in SQLite and Zero.
 */

export type Key = readonly SqlValue[]
export type WindowBound = Key | null

export function keyOf(order: Order, row: StoredRow): Key {
  return order.map((part) => row[part.column] ?? null)
}

export function compareKeys(order: Order, a: Key, b: Key): number {
  for (const [i, part] of order.entries()) {
    const compared = compareValues(a[i] ?? null, b[i] ?? null)
    if (compared !== 0) return part.direction === 'asc' ? compared : -compared
  }
  return 0
}

export function isWithin(order: Order, row: StoredRow, bound: WindowBound): boolean {
  return bound === null || compareKeys(order, keyOf(order, row), bound) <= 0
}

export function orderBySql(order: Order, alias: string): Fragment {
  return join(
    order.map((part) => frag`${columnSql(alias, part.column)} ${raw(part.direction)}`),
    ', ',
  )
}

/** Rows up to the bound. */
export function withinSql(order: Order, alias: string, bound: WindowBound): Fragment {
  return bound === null ? raw('true') : cutSql(order, alias, bound, 'before')
}

/** Rows after `from` and up to `to`. */
export function betweenSql(order: Order, alias: string, from: Key, to: WindowBound): Fragment {
  return frag`${cutSql(order, alias, from, 'after')} and ${withinSql(order, alias, to)}`
}

type Side = 'before' | 'after'

/** Lexicographic comparison written out. The bound of the first column is repeated because an index cannot serve an OR. */
function cutSql(order: Order, alias: string, bound: Key, side: Side): Fragment {
  let rest = side === 'before' ? raw('true') : raw('false')
  for (const [i, part] of [...order.entries()].reverse()) {
    const column = columnSql(alias, part.column)
    const value = bound[i] ?? null
    const equal = value === null ? frag`${column} is null` : frag`${column} = ${bind(value)}`
    rest = combine([strictSql(part, column, value, side), frag`(${equal} and ${rest})`], ' or ')
  }
  const [leading] = order
  const leadingSql = leading === undefined ? null : boundSql(leading, columnSql(alias, leading.column), bound[0] ?? null, side)
  return leadingSql === null ? rest : frag`${leadingSql} and ${rest}`
}

function strictSql(part: OrderPart, column: Fragment, value: SqlValue, side: Side): Fragment {
  const smaller = (part.direction === 'asc') === (side === 'before')
  if (value === null) return smaller ? raw('false') : frag`${column} is not null`
  if (!smaller) return frag`${column} > ${bind(value)}`
  return part.nullable ? frag`(${column} < ${bind(value)} or ${column} is null)` : frag`${column} < ${bind(value)}`
}

function boundSql(part: OrderPart, column: Fragment, value: SqlValue, side: Side): Fragment | null {
  const smaller = (part.direction === 'asc') === (side === 'before')
  if (value === null || (smaller && part.nullable)) return null
  return frag`${column} ${raw(smaller ? '<=' : '>=')} ${bind(value)}`
}

/**
 * The history of a window's bound (SPEC E6): for a client at a version the bound of that version applies. The history is short. If the bound
 * of a client's version is not stored, nothing is known about the client's rows of the window.
 */

type BoundEntry = readonly [since: Version, bound: WindowBound]

/** Oldest first, never empty. A query without a window has one open entry. */
export type BoundHistory = readonly BoundEntry[]

export function currentBound(history: BoundHistory): WindowBound {
  return history.at(-1)?.[1] ?? null
}

/** The version from which the current bound is valid. */
export function movedAt(history: BoundHistory): Version {
  return history.at(-1)?.[0] ?? 0
}

export function boundAt(history: BoundHistory, version: Version): WindowBound | 'unknown' {
  const entry = history.findLast(([since]) => since <= version)
  return entry === undefined ? 'unknown' : entry[1]
}

export function appendBound(history: BoundHistory, entry: BoundEntry, maxEntries: number): BoundHistory {
  return [...history, entry].slice(-maxEntries)
}

/** Decides whether one row is covered by one query now. Tests the row's own columns first. Valid for one query and one bound. */
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
