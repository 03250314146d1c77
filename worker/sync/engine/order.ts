/**
 * The order of a window and its edge. An edge is an order key, not a row: the row it was measured at may be gone, the cut stays
 * where it was. `null` as an edge is the open end: every row is within.
 * NULL sorts first ascending and last descending, as in SQLite and in Zero.
 */
import type { StoredRow } from './codec.ts'
import { compareValues } from './compare.ts'
import { bind, combine, type Fragment, frag, join, raw } from './fragment.ts'
import type { Order, OrderPart } from './plan.ts'
import { columnSql } from './predicate.ts'
import type { SqlValue } from './types.ts'

export type Key = readonly SqlValue[]
export type Edge = Key | null

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

export function isWithin(order: Order, row: StoredRow, edge: Edge): boolean {
  return edge === null || compareKeys(order, keyOf(order, row), edge) <= 0
}

export function orderBySql(order: Order, alias: string): Fragment {
  return join(
    order.map((part) => frag`${columnSql(alias, part.column)} ${raw(part.direction)}`),
    ', ',
  )
}

/** Rows at or before the edge. */
export function withinSql(order: Order, alias: string, edge: Edge): Fragment {
  return edge === null ? raw('true') : cutSql(order, alias, edge, 'before')
}

/** Rows after `from` and at or before `to`. */
export function betweenSql(order: Order, alias: string, from: Key, to: Edge): Fragment {
  return frag`${cutSql(order, alias, from, 'after')} and ${withinSql(order, alias, to)}`
}

type Side = 'before' | 'after'

/** Lexicographic comparison spelt out; the leading column's own bound is repeated because an index cannot serve an OR. */
function cutSql(order: Order, alias: string, edge: Key, side: Side): Fragment {
  let rest = side === 'before' ? raw('true') : raw('false')
  for (const [i, part] of [...order.entries()].reverse()) {
    const column = columnSql(alias, part.column)
    const value = edge[i] ?? null
    const equal = value === null ? frag`${column} is null` : frag`${column} = ${bind(value)}`
    rest = combine([strictSql(part, column, value, side), frag`(${equal} and ${rest})`], ' or ')
  }
  const [leading] = order
  const bound = leading === undefined ? null : boundSql(leading, columnSql(alias, leading.column), edge[0] ?? null, side)
  return bound === null ? rest : frag`${bound} and ${rest}`
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
