/** Properties of a query's AST that need no compilation. */
import type { AST, Condition } from '@rocicorp/zero'
import type { Table } from './types.ts'

/** Tables whose rows the query reads. A change of any other table cannot affect it. */
export function tablesOf(ast: AST): ReadonlySet<string> {
  return new Set(visitedTables(ast))
}

function* visitedTables({ table, where, related = [] }: AST): Generator<string> {
  yield table
  for (const { subquery } of [...existsIn(where), ...related]) yield* visitedTables(subquery)
}

/** A limit at the root is no window when the condition allows at most one row or the limit is 0. */
export function hasWindow({ limit, where }: AST, table: Table): boolean {
  if (limit === undefined || limit === 0) return false
  const fixed = new Set(fixedColumns(where))
  return !table.primaryKey.every((column) => fixed.has(column))
}

/** Columns with one value in every matching row, from equalities outside OR. */
function fixedColumns(where: Condition | undefined): readonly string[] {
  if (where?.type === 'and') return where.conditions.flatMap(fixedColumns)
  if (where?.type !== 'simple' || (where.op !== '=' && where.op !== 'IS')) return []
  const { left, right } = where
  return left.type === 'column' && right.type === 'literal' && right.value !== null ? [left.name] : []
}

/** Text of the query without its root limit. A limit of 0 stays, because such a query has no rows. */
export function unlimitedText(ast: AST): string {
  return JSON.stringify({ ...ast, limit: ast.limit === 0 ? 0 : undefined })
}

type Subquery = NonNullable<AST['related']>[number]

export function existsIn(where: Condition | undefined): readonly Subquery[] {
  if (where === undefined || where.type === 'simple') return []
  return where.type === 'correlatedSubquery' ? [where.related] : where.conditions.flatMap(existsIn)
}
