/**
 * A compiled query: a tree of nodes, one per table. Related rows and EXISTS matches are nodes alike, because the client needs both to
 * evaluate the query. A plan depends on the AST and the tables only.
 */

import type { StoredRow } from './codec.ts'
import { type Bind, bind, combine, type Fragment, frag, join, quote, raw } from './fragment.ts'
import type { SqlValue, Table } from './types.ts'

export type CompareOp = '=' | '!=' | '<' | '>' | '<=' | '>=' | 'IS' | 'IS NOT'

export type Cond =
  | { readonly type: 'constant'; readonly value: boolean }
  | { readonly type: 'compare'; readonly column: string; readonly op: CompareOp; readonly value: SqlValue }
  | { readonly type: 'in'; readonly column: string; readonly negated: boolean; readonly values: ReadonlySet<SqlValue> }
  | { readonly type: 'exists'; readonly node: PlanNode }
  | { readonly type: 'and' | 'or'; readonly conditions: readonly Cond[] }

export type FixedValue = readonly [column: string, value: SqlValue]

export type PlanNode = {
  readonly table: Table
  readonly kind: 'root' | 'related' | 'exists'
  /** Unique in the plan, so that conditions of nested statements can name their node. */
  readonly alias: string
  readonly parent: PlanNode | null
  /** Columns of the parent's row and of this row that must be equal; both empty at the root. */
  readonly parentField: readonly string[]
  readonly childField: readonly string[]
  /** The condition on a row and its EXISTS matches. */
  readonly cond: Cond
  /** `cond` as SQL over `alias`. */
  readonly local: Fragment
  readonly children: readonly PlanNode[]
  /** Every descendant node, nearest first. */
  readonly descendants: readonly PlanNode[]
  /** Own correlation columns and those of the children: when one changes, other rows are below this one. */
  readonly correlationColumns: readonly string[]
  /** Values that a row must have, from its own condition and its ancestors'. */
  readonly fixedValues: readonly FixedValue[]
  /** Other tables whose rows decide `cond`. */
  readonly existsTables: ReadonlySet<string>
}

export type OrderPart = { readonly column: string; readonly direction: 'asc' | 'desc'; readonly nullable: boolean }
export type Order = readonly OrderPart[]

/** A root limit: the first `limit` rows in `order`, which ends with the primary key and is therefore total. */
export type Window = { readonly limit: number; readonly order: Order }

export type Plan = {
  readonly root: PlanNode
  /** Parents before children. */
  readonly nodes: readonly PlanNode[]
  readonly byTable: ReadonlyMap<string, readonly PlanNode[]>
  /** Order of the root's rows, with or without a window. */
  readonly order: Order
  readonly window: Window | null
  /** Per table the columns that decide membership, correlation or window order. */
  readonly structural: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * One condition in two forms: JavaScript for a single row, SQL for sets. Both are two-valued: NULL counts as false, as in the client,
 * because no supported form negates a condition.
 */

/** Longer lists are one JSON bind: Durable Objects allow 100 binds per statement. */
const MAX_SEPARATE_LIST_BINDS = 4

/** `hasMatch` decides an EXISTS; true for all gives the weakest condition on the row's own columns. */
export function holds(cond: Cond, row: StoredRow, hasMatch: (node: PlanNode) => boolean): boolean {
  switch (cond.type) {
    case 'constant':
      return cond.value
    case 'compare':
      return compares(row[cond.column] ?? null, cond.op, cond.value)
    case 'in': {
      const value = row[cond.column] ?? null
      return value !== null && cond.values.has(value) !== cond.negated
    }
    case 'exists':
      return hasMatch(cond.node)
    case 'and':
      return cond.conditions.every((part) => holds(part, row, hasMatch))
    case 'or':
      return cond.conditions.some((part) => holds(part, row, hasMatch))
  }
}

export function compares(left: SqlValue, op: CompareOp, right: SqlValue): boolean {
  if (op === 'IS') return left === right
  if (op === 'IS NOT') return left !== right
  if (left === null || right === null) return false
  switch (op) {
    case '=':
      return left === right
    case '!=':
      return left !== right
    case '<':
      return compareValues(left, right) < 0
    case '<=':
      return compareValues(left, right) <= 0
    case '>':
      return compareValues(left, right) > 0
    case '>=':
      return compareValues(left, right) >= 0
  }
}

/** `alias` is the node of the condition; nested EXISTS have their own. */
export function conditionSql(cond: Cond, alias: string): Fragment {
  switch (cond.type) {
    case 'constant':
      return raw(cond.value ? 'true' : 'false')
    case 'compare':
      return frag`${columnSql(alias, cond.column)} ${raw(cond.op)} ${bind(cond.value)}`
    case 'in':
      return listSql(columnSql(alias, cond.column), cond.negated, [...cond.values])
    case 'exists':
      return existsSql(cond.node, alias)
    case 'and':
    case 'or':
      return combine(
        cond.conditions.map((part) => conditionSql(part, alias)),
        cond.type === 'and' ? ' and ' : ' or ',
      )
  }
}

export function columnSql(alias: string, column: string): Fragment {
  return raw(`${alias}.${quote(column)}`)
}

export function tableSql(node: PlanNode): Fragment {
  return raw(`${quote(node.table.name)} ${node.alias}`)
}

/** The child's and the parent's correlation columns are equal. NULL does not correlate. */
function correlationSql(node: PlanNode, parentAlias: string): Fragment {
  return join(
    node.childField.map((column, i) => frag`${columnSql(node.alias, column)} = ${columnSql(parentAlias, node.parentField[i] ?? '')}`),
    ' and ',
  )
}

function existsSql(node: PlanNode, parentAlias: string): Fragment {
  return frag`exists (select 1 from ${tableSql(node)} where ${correlationSql(node, parentAlias)} and ${node.local})`
}

function listSql(column: Fragment, negated: boolean, values: readonly SqlValue[]): Fragment {
  // SQLite evaluates `NULL not in ()` to true, the client to false.
  if (values.length === 0) return negated ? frag`${column} is not null` : raw('false')
  const word = raw(negated ? 'not in' : 'in')
  if (values.length > MAX_SEPARATE_LIST_BINDS) return frag`${column} ${word} (select value from json_each(${bind(JSON.stringify(values))}))`
  return frag`${column} ${word} (${join(values.map(bind), ', ')})`
}

/**
 * SQLite's order of column values in JavaScript: null, numbers, then text by UTF-8 bytes. The client has the same order, so the server's
 * window equals the client's.
 */
export function compareValues(a: SqlValue, b: SqlValue): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return typeof a === 'number' ? -1 : 1
}

/** UTF-16 order differs from byte order only where a surrogate is compared with another unit: its code point is above all single units. */
function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1
  }
  return a.length - b.length
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff
}

/**
 * SQL for rows reached through a plan, from a node to the root's range or to the columns of one row. Sets are read from parent to child with
 * IN, single rows from child to parent with EXISTS, so neither direction materialises the other side.
 */

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
