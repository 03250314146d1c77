/**
 * One condition in two forms: JavaScript for a single row, SQL for sets. Both are two-valued: NULL counts as false, as in the client,
 * because no supported form negates a condition.
 */
import type { StoredRow } from './codec.ts'
import { compareValues } from './compare.ts'
import { bind, combine, type Fragment, frag, join, quote, raw } from './fragment.ts'
import type { CompareOp, Cond, PlanNode } from './plan.ts'
import type { SqlValue } from './types.ts'

/** Longer lists are one JSON bind: Durable Objects allow 100 binds per statement. */
const MAX_SEPARATE_LIST_BINDS = 4

/** `existsMatch` decides an EXISTS; true for all gives the weakest condition on the row's own columns. */
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
export function correlationSql(node: PlanNode, parentAlias: string): Fragment {
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
