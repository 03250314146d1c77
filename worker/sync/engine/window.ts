/**
 * Measures the bound of a window. A window has at least `limit` rows unless it is open, and at most `limit` plus hysteresis. In between the
 * bound stays, so that most inserts and deletes do not move it (SPEC E6, E7).
 */
import type { RowChange } from './changes.ts'
import type { StoredRow } from './codec.ts'
import { bind, frag, join, query } from './fragment.ts'
import { isPossible, MembershipTest } from './membership.ts'
import { compareKeys, isWithin, type Key, keyOf, orderBySql, type WindowBound } from './order.ts'
import type { Plan, Window } from './plan.ts'
import { columnSql, tableSql } from './predicate.ts'
import type { Sql } from './types.ts'

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
