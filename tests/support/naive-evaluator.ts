/**
 * A slow and simple evaluation of Zero queries over plain rows: the reference for the sync engine. Shares no code with it. `evaluate` is
 * what a client shows; `cover` is what a client must hold to show it, given the bound of a window.
 */
import type { AST, Condition, CorrelatedSubquery, SimpleCondition } from '@rocicorp/zero'
import type { Json, Row, Tables } from '../../worker/sync/engine/types.ts'

/** Rows by table. */
export type Database = { readonly [table: string]: readonly Row[] }

/** An order key of the root, booleans as 0 and 1; `null` when the window is open. */
export type NaiveBound = readonly (string | number | null)[] | null

/** Ids in order with their related ids below them, as text: equal texts are equal results. */
export function evaluate(ast: AST, database: Database, tables: Tables): string {
  return JSON.stringify(select(ast, database, tables))
}

/** Root rows that match, before any limit. */
export function matching(ast: AST, database: Database): readonly Row[] {
  return rowsOf(database, ast.table).filter((row) => matches(ast.where, row, database))
}

/** Calls `give` for every row, related row and `exists` match of the root rows up to the bound; returns the number of root rows. */
export function cover(ast: AST, database: Database, tables: Tables, bound: NaiveBound, give: (table: string, row: Row) => void): number {
  if (ast.limit === 0) return 0
  const roots = matching(ast, database).filter((row) => bound === null || compareToBound(ast, tables, row, bound) <= 0)
  for (const row of roots) coverRow(ast, row, database, give)
  return roots.length
}

function coverRow(ast: AST, row: Row, database: Database, give: (table: string, row: Row) => void): void {
  give(ast.table, row)
  for (const related of [...(ast.related ?? []), ...existsQueries(ast.where)]) {
    for (const child of correlated(related, row, database)) coverRow(related.subquery, child, database, give)
  }
}

type ResultNode = readonly [id: string, ...related: ResultNode[][]]

function select(ast: AST, database: Database, tables: Tables, rows: readonly Row[] = matching(ast, database)): ResultNode[] {
  const order = completeOrder(ast, tables)
  const sorted = rows.toSorted((a, b) => compareRows(order, a, b))
  const limited = ast.limit === undefined ? sorted : sorted.slice(0, ast.limit)
  return limited.map((row) => [
    rowID(tables, ast.table, row),
    ...(ast.related ?? []).map((related) => select(related.subquery, database, tables, correlated(related, row, database))),
  ])
}

export function rowID(tables: Tables, table: string, row: Row): string {
  const key = tables[table]?.primaryKey ?? []
  return key.map((column) => String(row[column])).join('|')
}

function correlated({ correlation, subquery }: CorrelatedSubquery, parent: Row, database: Database): readonly Row[] {
  return rowsOf(database, subquery.table).filter((child) => {
    const linked = correlation.childField.every((column, i) => {
      const above = parent[correlation.parentField[i] ?? ''] ?? null
      return above !== null && child[column] === above
    })
    return linked && matches(subquery.where, child, database)
  })
}

function existsQueries(where: Condition | undefined): readonly CorrelatedSubquery[] {
  if (where === undefined || where.type === 'simple') return []
  return where.type === 'correlatedSubquery' ? [where.related] : where.conditions.flatMap(existsQueries)
}

function matches(where: Condition | undefined, row: Row, database: Database): boolean {
  if (where === undefined) return true
  switch (where.type) {
    case 'and':
      return where.conditions.every((part) => matches(part, row, database))
    case 'or':
      return where.conditions.some((part) => matches(part, row, database))
    case 'correlatedSubquery':
      return correlated(where.related, row, database).length > 0
    case 'simple':
      return compares(where, row)
  }
}

function compares({ left, op, right }: SimpleCondition, row: Row): boolean {
  if (right.type !== 'literal' || left.type === 'static') throw new Error('parameters have no value here')
  const a = (left.type === 'literal' ? (left.value as Json) : row[left.name]) ?? null
  const b = right.value as Json
  if (op === 'IS') return a === b
  if (op === 'IS NOT') return a !== b
  if (a === null || b === null) return false
  if (op === '=') return a === b
  if (op === '!=') return a !== b
  if (op === 'IN') return (b as readonly Json[]).includes(a)
  if (op === 'NOT IN') return !(b as readonly Json[]).includes(a)
  const order = compareJson(a, b)
  if (op === '<') return order < 0
  if (op === '<=') return order <= 0
  if (op === '>') return order > 0
  if (op === '>=') return order >= 0
  throw new Error(`${op} has no naive meaning here`)
}

type NaiveOrder = readonly (readonly [column: string, direction: 'asc' | 'desc'])[]

function completeOrder(ast: AST, tables: Tables): NaiveOrder {
  const given = ast.orderBy ?? []
  const missing = (tables[ast.table]?.primaryKey ?? []).filter((column) => !given.some(([name]) => name === column))
  return [...given, ...missing.map((column) => [column, 'asc'] as const)]
}

function compareRows(order: NaiveOrder, a: Row, b: Row): number {
  for (const [column, direction] of order) {
    const compared = compareJson(a[column] ?? null, b[column] ?? null)
    if (compared !== 0) return direction === 'asc' ? compared : -compared
  }
  return 0
}

function compareToBound(ast: AST, tables: Tables, row: Row, bound: readonly (string | number | null)[]): number {
  for (const [i, [column, direction]] of completeOrder(ast, tables).entries()) {
    const value = row[column] ?? null
    const compared = compareJson(typeof value === 'boolean' ? Number(value) : value, bound[i] ?? null)
    if (compared !== 0) return direction === 'asc' ? compared : -compared
  }
  return 0
}

function compareJson(a: Json, b: Json): number {
  if (a === b) return 0
  if (a === null) return -1
  if (b === null) return 1
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return Number(a) - Number(b)
}

function rowsOf(database: Database, table: string): readonly Row[] {
  return database[table] ?? []
}
