/**
 * The order of a window, and its bound. A bound is a sort key, not a row: its row may be deleted. A bound `null` is open: every row is
 * within. NULL sorts first ascending and last descending, as in SQLite and Zero.
 */
import type { StoredRow } from './codec.ts'
import { compareValues } from './compare.ts'
import { bind, combine, type Fragment, frag, join, raw } from './fragment.ts'
import type { Order, OrderPart } from './plan.ts'
import { columnSql } from './predicate.ts'
import type { SqlValue } from './types.ts'

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
