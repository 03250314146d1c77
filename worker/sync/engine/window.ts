/**
 * Measures where a window ends. An edge never holds fewer than `limit` rows unless it is open, nor more than `limit + slack`;
 * between the two it stays, so that inserts and deletes within the slack move nothing (SPEC E6, E7).
 */
import type { RowChange } from './changes.ts'
import type { StoredRow } from './codec.ts'
import { bind, frag, join, query } from './fragment.ts'
import { isPossible, Judge } from './judge.ts'
import { compareKeys, type Edge, isWithin, type Key, keyOf, orderBySql } from './order.ts'
import type { Plan, Window } from './plan.ts'
import { columnSql, tableSql } from './predicate.ts'
import type { Sql } from './types.ts'

export type SlackOf = (limit: number) => number

/** Ours: half a window of surplus rows costs less than moving the edge with every insert. */
export function defaultSlackOf(limit: number): number {
  return Math.max(5, Math.floor(limit / 2))
}

/** The edge of a window nobody holds yet. */
export function firstEdge(sql: Sql, plan: Plan): Edge {
  return plan.window === null ? null : keyAt(sql, plan, plan.window, plan.window.limit)
}

/** The edge now, given where it was; the same object when it need not move. */
export function measureEdge(sql: Sql, plan: Plan, edge: Edge, slackOf: SlackOf): Edge {
  const { window } = plan
  if (window === null) return edge
  const last = keyAt(sql, plan, window, window.limit)
  if (last === null) return null
  const reach = edge === null ? -1 : compareKeys(window.order, last, edge)
  if (reach === 0) return edge
  if (reach > 0) return last
  const surplus = keyAt(sql, plan, window, window.limit + slackOf(window.limit) + 1)
  const trims = surplus !== null && (edge === null || compareKeys(window.order, surplus, edge) <= 0)
  return trims ? last : edge
}

/** Whether the number of rows within the edge may differ from the last measurement, if `changes` is all that happened since. */
export function mayMove(sql: Sql, plan: Plan, edge: Edge, changes: readonly RowChange[]): boolean {
  const { root, window } = plan
  if (window === null) return false
  const judge = new Judge(sql, plan, edge)
  const counts = (row: StoredRow | null) =>
    row !== null && isWithin(window.order, row, edge) && isPossible(root, row) && judge.isLocal(root, row)
  return changes.some(({ table, old, row, quiet }) => {
    if (quiet) return false
    return root.witnessTables.has(table.name) || (table.name === root.table.name && counts(old) !== counts(row))
  })
}

/** The order key of the `position`-th matching root row, counted from 1; `null` when there are fewer. */
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
