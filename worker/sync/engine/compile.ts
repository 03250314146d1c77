/**
 * Compiles a Zero AST to a plan, or throws `UnsupportedQueryError`. The supported forms are a closed list (SPEC E11, E12), because the
 * engine is correct for monotone queries only.
 */
import type { AST, Condition, CorrelatedSubquery, LiteralValue, SimpleCondition } from '@rocicorp/zero'
import { raw } from './fragment.ts'
import {
  type CompareOp,
  type Cond,
  compares,
  conditionSql,
  coveredSql,
  type FixedValue,
  type Order,
  type Plan,
  type PlanNode,
  type Window,
} from './plan.ts'
import { type ColumnType, type SqlValue, type Table, type Tables, unsupported } from './types.ts'
import { betweenSql, withinSql } from './window.ts'

export function compile(ast: AST, tables: Tables): Plan {
  const nodes: Draft[] = []
  const root = compileNode(ast, null, { tables, nodes }, '')
  const order = orderOf(ast, root.table)
  const window = windowOf(ast, root.table, order)
  const byTable = Map.groupBy(nodes, (node) => node.table.name)
  const plan: Plan = { root, nodes, byTable, order, window, structural: structuralColumns(nodes, window) }
  assertStatementsFit(plan)
  return plan
}

type Draft = { -readonly [K in keyof PlanNode]: PlanNode[K] } & { readonly children: PlanNode[] }
type Building = { readonly tables: Tables; readonly nodes: Draft[] }
type Link = { readonly parent: Draft; readonly kind: 'related' | 'exists'; readonly subquery: CorrelatedSubquery }

function compileNode(ast: AST, link: Link | null, building: Building, at: string): Draft {
  const table = building.tables[ast.table]
  if (table === undefined) return unsupported(`unknown table ${ast.table}`, `${at}table`)
  if (ast.start !== undefined) return unsupported('start()', `${at}start`)
  for (const [column] of ast.orderBy ?? []) comparableType(table, column, `${at}orderBy`)
  const node = draft(table, link, building)
  if (link !== null) checkCorrelation(node, link, at)
  const where = condition(ast.where, node, building, `${at}where`)
  node.cond = ast.limit === 0 ? { type: 'constant', value: false } : where
  node.local = conditionSql(node.cond, node.alias)
  node.fixedValues = [...fixedValuesOf(node.cond), ...inheritedValues(node)]
  if (link !== null && ast.limit !== undefined) checkNestedLimit(node, ast.limit, at)
  for (const [i, related] of (ast.related ?? []).entries()) {
    if (node.kind === 'exists') return unsupported('related() inside exists()', `${at}related[${i}]`)
    compileNode(related.subquery, { parent: node, kind: 'related', subquery: related }, building, `${at}related[${i}].subquery.`)
  }
  finish(node)
  return node
}

function draft(table: Table, link: Link | null, building: Building): Draft {
  const node: Draft = {
    table,
    kind: link?.kind ?? 'root',
    alias: `n${building.nodes.length}`,
    parent: link?.parent ?? null,
    parentField: link?.subquery.correlation.parentField ?? [],
    childField: link?.subquery.correlation.childField ?? [],
    cond: { type: 'constant', value: true },
    local: raw('true'),
    children: [],
    descendants: [],
    correlationColumns: [],
    fixedValues: [],
    existsTables: new Set(),
  }
  building.nodes.push(node)
  link?.parent.children.push(node)
  return node
}

function finish(node: Draft): void {
  node.descendants = [...node.children, ...node.children.flatMap((child) => child.descendants)]
  node.correlationColumns = [...new Set([...node.childField, ...node.children.flatMap((child) => child.parentField)])]
  const matches = node.children.filter((child) => child.kind === 'exists')
  node.existsTables = new Set(matches.flatMap((child) => [child.table.name, ...child.existsTables]))
}

function condition(where: Condition | undefined, node: Draft, building: Building, path: string): Cond {
  if (where === undefined) return { type: 'constant', value: true }
  switch (where.type) {
    case 'simple':
      return comparison(where, node.table, path)
    case 'and':
    case 'or': {
      const parts = where.conditions.map((part, i) => condition(part, node, building, `${path}.${where.type}[${i}]`))
      // Own columns first: they need no statement, an EXISTS does.
      return { type: where.type, conditions: parts.toSorted((a, b) => Number(hasExists(a)) - Number(hasExists(b))) }
    }
    case 'correlatedSubquery': {
      if (where.op !== 'EXISTS') return unsupported(where.op, path)
      if (where.scalar === true) return unsupported('scalar subquery', path)
      const link: Link = { parent: node, kind: 'exists', subquery: where.related }
      return { type: 'exists', node: compileNode(where.related.subquery, link, building, `${path}.related.subquery.`) }
    }
  }
}

function hasExists(cond: Cond): boolean {
  return cond.type === 'exists' || ((cond.type === 'and' || cond.type === 'or') && cond.conditions.some(hasExists))
}

function checkCorrelation(node: Draft, { parent }: Link, at: string): void {
  for (const [i, column] of node.childField.entries()) {
    const above = comparableType(parent.table, node.parentField[i] ?? '', `${at}correlation`)
    const own = comparableType(node.table, column, `${at}correlation`)
    if (above !== own) unsupported(`correlation of a ${above} with a ${own}`, `${at}correlation`)
  }
}

/** A limit below the root has no effect when correlation and condition leave at most one row. */
function checkNestedLimit(node: Draft, limit: number, at: string): void {
  const unique = isUniqueBy(node.table, [...node.childField, ...fixedValuesOf(node.cond).map(([column]) => column)])
  if (limit < 1 || !unique) unsupported(`limit() inside ${node.kind === 'exists' ? 'exists()' : 'related()'}`, `${at}limit`)
}

/** Values that every matching row has, from equalities outside OR. */
function fixedValuesOf(cond: Cond): readonly FixedValue[] {
  if (cond.type === 'and') return cond.conditions.flatMap(fixedValuesOf)
  const fixedValues = cond.type === 'compare' && (cond.op === '=' || cond.op === 'IS') && cond.value !== null
  return fixedValues ? [[cond.column, cond.value]] : []
}

/** A fixed column of the parent fixes the correlated column of the child. */
function inheritedValues(node: Draft): readonly FixedValue[] {
  return node.childField.flatMap((column, i) => {
    const above = (node.parent?.fixedValues ?? []).filter(([fixed]) => fixed === node.parentField[i])
    return above.map(([, value]): FixedValue => [column, value])
  })
}

function isUniqueBy(table: Table, columns: readonly string[]): boolean {
  return table.primaryKey.every((column) => columns.includes(column))
}

/** Completes the order with the primary key, as Zero does. */
function orderOf(ast: AST, table: Table): Order {
  const given = (ast.orderBy ?? []).map(([column, direction]) => ({ column, direction }))
  const missing = table.primaryKey.filter((column) => !given.some((part) => part.column === column))
  const parts = [...given, ...missing.map((column) => ({ column, direction: 'asc' as const }))]
  return parts.map((part) => ({ ...part, nullable: table.columns[part.column]?.optional === true }))
}

function windowOf(ast: AST, table: Table, order: Order): Window | null {
  return ast.limit !== undefined && hasWindow(ast, table) ? { limit: ast.limit, order } : null
}

function structuralColumns(nodes: readonly PlanNode[], window: Window | null): Plan['structural'] {
  const structural = new Map<string, Set<string>>()
  for (const node of nodes) {
    const columns = structural.get(node.table.name) ?? new Set<string>()
    structural.set(node.table.name, columns)
    for (const column of [...node.correlationColumns, ...conditionColumns(node.cond)]) columns.add(column)
    if (node.parent === null) for (const part of window?.order ?? []) columns.add(part.column)
  }
  return structural
}

function conditionColumns(cond: Cond): readonly string[] {
  if (cond.type === 'compare' || cond.type === 'in') return [cond.column]
  return cond.type === 'and' || cond.type === 'or' ? cond.conditions.flatMap(conditionColumns) : []
}

/** Platform limit: https://developers.cloudflare.com/durable-objects/platform/limits/ */
const MAX_BINDS = 100
const MAX_STATEMENT_BYTES = 100_000

/** Chosen: binds of a statement besides its conditions: correlation values, LIMIT, OFFSET. */
const RESERVED_BINDS = 10

function assertStatementsFit(plan: Plan): void {
  for (const node of plan.nodes) {
    const { text, binds } = largestStatement(plan, node)
    if (binds.length > MAX_BINDS - RESERVED_BINDS) unsupported(`${binds.length} values in one statement`, node.table.name)
    if (text.length * 3 > MAX_STATEMENT_BYTES) unsupported(`a statement of ${text.length} characters`, node.table.name)
  }
}

/** The statement between two bounds of a window has the most binds. */
function largestStatement(plan: Plan, node: PlanNode) {
  const { alias } = plan.root
  if (plan.window === null) return coveredSql(node, withinSql(plan.order, alias, null))
  const bound = plan.order.map(() => 0)
  return coveredSql(node, betweenSql(plan.order, alias, bound, bound))
}

/** Properties of a query's AST that need no compilation. */

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

/**
 * Converts simple conditions of an AST to conditions over column values. Literals must have their column's type: SQLite would convert them,
 * the client would not.
 */

const COMPARE_OPS: ReadonlySet<string> = new Set<CompareOp>(['=', '!=', '<', '>', '<=', '>=', 'IS', 'IS NOT'])

export function comparison(condition: SimpleCondition, table: Table, path: string): Cond {
  const { left, right, op } = condition
  if (right.type !== 'literal' || left.type === 'static') return unsupported('comparison with a parameter or a column', path)
  if (left.type === 'literal') return constant(condition, left.value, right.value, path)
  const type = comparableType(table, left.name, path)
  if (op === 'IN' || op === 'NOT IN') {
    if (!Array.isArray(right.value)) return unsupported(`${op} without a list`, path)
    return {
      type: 'in',
      column: left.name,
      negated: op === 'NOT IN',
      values: new Set(right.value.map((value) => literal(type, value, path))),
    }
  }
  if (!isCompareOp(op)) return unsupported(op, path)
  return compareTo(left.name, op, literal(type, right.value, path))
}

/** The type of a column that conditions, correlations and orders may use. */
export function comparableType(table: Table, column: string, path: string): Exclude<ColumnType, 'json'> {
  const type = table.columns[column]?.type
  if (type === undefined) return unsupported(`unknown column ${table.name}.${column}`, path)
  if (type === 'json') return unsupported(`json column ${table.name}.${column} in a condition, correlation or order`, path)
  return type
}

function compareTo(column: string, op: CompareOp, value: SqlValue): Cond {
  // Only IS and IS NOT are true for NULL.
  if (value === null && op !== 'IS' && op !== 'IS NOT') return { type: 'constant', value: false }
  return { type: 'compare', column, op, value }
}

/** A comparison of two literals is a constant. */
function constant(condition: SimpleCondition, left: LiteralValue, right: LiteralValue, path: string): Cond {
  const { op } = condition
  const type = literalType(left ?? right)
  if (type === null) return { type: 'constant', value: left === null && right === null && op === 'IS' }
  if (!isCompareOp(op)) return unsupported(`${op} between literals`, path)
  return { type: 'constant', value: compares(literal(type, left, path), op, literal(type, right, path)) }
}

function literal(type: ColumnType, value: unknown, path: string): SqlValue {
  if (value === null || value === undefined) return null
  if (literalType(value) !== type) return unsupported(`a ${typeof value} literal where a ${type} belongs`, path)
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' ? value.toWellFormed() : Number(value)
}

function literalType(value: unknown): ColumnType | null {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  return typeof value === 'number' && Number.isFinite(value) ? 'number' : null
}

function isCompareOp(op: string): op is CompareOp {
  return COMPARE_OPS.has(op)
}
