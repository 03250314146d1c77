/**
 * Converts simple conditions of an AST to conditions over column values. Literals must have their column's type: SQLite would convert them,
 * the client would not.
 */
import type { LiteralValue, SimpleCondition } from '@rocicorp/zero'
import type { CompareOp, Cond } from './plan.ts'
import { compares } from './predicate.ts'
import { type ColumnType, type SqlValue, type Table, unsupported } from './types.ts'

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
