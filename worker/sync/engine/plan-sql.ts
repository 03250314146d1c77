/**
 * SQL for rows reached through a plan, from a node to the root's range or to the columns of one row. Sets are read from parent to child with
 * IN, single rows from child to parent with EXISTS, so neither direction materialises the other side.
 */
import type { StoredRow } from './codec.ts'
import { type Bind, bind, combine, type Fragment, frag, join, raw } from './fragment.ts'
import type { PlanNode } from './plan.ts'
import { columnSql, correlationSql, tableSql } from './predicate.ts'
import type { SqlValue } from './types.ts'

/** Rows of `node` that are covered when the root's rows are those in `range`. */
export function coveredSql(node: PlanNode, range: Fragment): Fragment {
  return selectSql(node, (end) => (end.parent === null ? range : null))
}

/** Rows of `descendant` below one row of `top`; that row supplies the binds. */
export function belowSql(descendant: PlanNode, top: PlanNode): Fragment {
  const first = childTowards(top, descendant)
  return selectSql(descendant, (end) => (end === first ? linkSql(first.alias, first.childField, first.parentField) : null))
}

/** One row if some member of the parent node has the given row of `node` below it; `range` is the root's. */
export function parentSql(node: PlanNode, parent: PlanNode, range: Fragment): Fragment {
  const linked = linkSql(parent.alias, node.parentField, node.childField)
  const head = frag`select 1 as found from ${tableSql(parent)} where ${linked} and ${parent.local} and ${upwardsSql(parent)}`
  return frag`${head}${range}${raw(')'.repeat(depthOf(parent)))} limit 1`
}

/** Rows of the parent's table whose EXISTS over `node` the given row can decide. */
export function parentRowsSql(node: PlanNode, parent: PlanNode): Fragment {
  const linked = linkSql(parent.alias, node.parentField, node.childField)
  return frag`select ${raw(parent.alias)}.* from ${tableSql(parent)} where ${linked}`
}

/** Primary keys of the rows of an EXISTS node that match for the given parent row. */
export function existsMatchesSql(node: PlanNode, limit: number): Fragment {
  const columns = columnsSql(node.alias, node.table.primaryKey)
  const linked = linkSql(node.alias, node.childField, node.parentField)
  return frag`select ${columns} from ${tableSql(node)} where ${linked} and ${node.local} limit ${bind(limit)}`
}

/** The values of the named columns; `null` when one is null, because null does not correlate. */
export function valuesOf(row: StoredRow, columns: readonly string[]): readonly SqlValue[] | null {
  const values = columns.map((column) => row[column] ?? null)
  return values.includes(null) ? null : values
}

/** The child of `top` on the path to `descendant`. Its correlation is the one with `top`'s row. */
export function childTowards(top: PlanNode, descendant: PlanNode): PlanNode {
  let node = descendant
  while (node.parent !== null && node.parent !== top) node = node.parent
  return node
}

type Anchor = (node: PlanNode) => Fragment | null

function selectSql(node: PlanNode, anchor: Anchor): Fragment {
  return frag`select ${raw(node.alias)}.* from ${tableSql(node)} where ${node.local} and ${downwardsSql(node, anchor)}`
}

function downwardsSql(node: PlanNode, anchor: Anchor): Fragment {
  const end = anchor(node)
  const parent = node.parent
  if (end !== null || parent === null) return end ?? raw('true')
  const child = node.childField.length === 1 ? columnsSql(node.alias, node.childField) : frag`(${columnsSql(node.alias, node.childField)})`
  const inner = frag`${parent.local} and ${downwardsSql(parent, anchor)}`
  return frag`${child} in (select ${columnsSql(parent.alias, node.parentField)} from ${tableSql(parent)} where ${inner})`
}

/** Ends at the root's range, with one open parenthesis per level. */
function upwardsSql(node: PlanNode): Fragment {
  const parent = node.parent
  if (parent === null) return raw('')
  const linked = correlationSql(node, parent.alias)
  return frag`exists (select 1 from ${tableSql(parent)} where ${linked} and ${parent.local} and ${upwardsSql(parent)}`
}

function depthOf(node: PlanNode): number {
  return node.parent === null ? 0 : 1 + depthOf(node.parent)
}

/** `columns` of `alias` equal the given row's `of` columns. */
function linkSql(alias: string, columns: readonly string[], of: readonly string[]): Fragment {
  return combine(
    columns.map((column, i) => frag`${columnSql(alias, column)} = ${bind(columnBind(of[i]))}`),
    ' and ',
  )
}

function columnBind(column: string | undefined): Bind {
  return column === undefined ? null : { column }
}

function columnsSql(alias: string, columns: readonly string[]): Fragment {
  return join(
    columns.map((column) => columnSql(alias, column)),
    ', ',
  )
}
