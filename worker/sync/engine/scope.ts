/** What can be said of a query without compiling it. Most queries that a group keeps are never asked for more between two sleeps. */
import type { AST, Condition } from '@rocicorp/zero'
import type { Table, Tables } from './types.ts'

export type Scope = {
  /** A change elsewhere cannot concern the query. */
  readonly tables: ReadonlySet<string>
  readonly hasWindow: boolean
}

/** Of a query that compiles. */
export function scopeOf(ast: AST, tables: Tables): Scope {
  const table = tables[ast.table]
  return { tables: new Set(tablesOf(ast)), hasWindow: table !== undefined && hasWindow(ast, table) }
}

/** A root limit is none when the condition leaves one row at most, or when it leaves none. */
export function hasWindow({ limit, where }: AST, table: Table): boolean {
  if (limit === undefined || limit === 0) return false
  const pinned = pinnedColumns(where)
  return !table.primaryKey.every((column) => pinned.includes(column))
}

/** Columns that have one value in every matching row, from equalities no OR can bypass. */
function pinnedColumns(where: Condition | undefined): readonly string[] {
  if (where?.type === 'and') return where.conditions.flatMap(pinnedColumns)
  if (where?.type !== 'simple' || (where.op !== '=' && where.op !== 'IS')) return []
  const { left, right } = where
  return left.type === 'column' && right.type === 'literal' && right.value !== null ? [left.name] : []
}

function tablesOf({ table, where, related = [] }: AST): readonly string[] {
  return [table, ...tablesOfCondition(where), ...related.flatMap(({ subquery }) => tablesOf(subquery))]
}

function tablesOfCondition(where: Condition | undefined): readonly string[] {
  if (where === undefined || where.type === 'simple') return []
  return where.type === 'correlatedSubquery' ? tablesOf(where.related.subquery) : where.conditions.flatMap(tablesOfCondition)
}
