/**
 * What can be said of a query without compiling it, and of a stored one without reading it: its reach and its pin stand beside it in two
 * narrow columns. Most queries that a group keeps are never asked for more between two sleeps. Whoever changes what a text of these means has
 * to write those that are stored anew.
 */
import type { AST, Condition } from '@rocicorp/zero'
import type { RowChange } from './changes.ts'
import type { StoredRow } from './codec.ts'
import type { Table, Tables } from './types.ts'

/** What queries of one form have in common. */
export type Reach = {
  /** A change elsewhere cannot concern them. Of a table with a column, only rows that have the query's pin there, or had. */
  readonly tables: ReadonlyMap<string, string | null>
  readonly hasWindow: boolean
}

export type Scope = Reach & {
  /** The one key that a root row of the query has; null when any may be one. */
  readonly pin: string | null
}

/** Of a query that compiles. */
export function scopeOf(ast: AST, tables: Tables): Scope {
  const table = tables[ast.table]
  const pinned = table && pinOf(ast, table)
  const visits = [...visitsOf(ast, pinned?.column ?? null)]
  const reached = Map.groupBy(visits, ([name]) => name)
  return {
    tables: new Map([...reached].map(([name, ofTable]) => [name, commonColumn(ofTable)])),
    hasWindow: table !== undefined && hasWindow(ast, table),
    pin: pinned?.value ?? null,
  }
}

/** As it is stored. Of as many texts as there are forms of queries. */
export function reachText({ tables, hasWindow }: Reach): string {
  return JSON.stringify([hasWindow, [...tables].toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

export function reachFrom(text: string): Reach {
  // Written by `reachText` alone.
  const [hasWindow, tables] = JSON.parse(text) as [boolean, [string, string | null][]]
  return { hasWindow, tables: new Map(tables) }
}

/** The pins of the queries that changes may concern. */
export function touchedPins(reach: Reach, changes: readonly RowChange[]): ReadonlySet<string> | 'all' {
  const pins = new Set<string>()
  for (const { table, old, row } of changes) {
    const column = reach.tables.get(table.name)
    if (column === null) return 'all'
    if (column === undefined) continue
    for (const image of [old, row]) {
      const value = image?.[column]
      if (typeof value === 'string') pins.add(value)
    }
  }
  return pins
}

/** The pins of the queries that may cover a row. */
export function pinsCovering(reach: Reach, table: Table, row: StoredRow): ReadonlySet<string> | 'all' {
  return touchedPins(reach, [{ table, key: '', old: null, row, quiet: false, written: null }])
}

/** A root limit is none when the condition leaves one row at most, or when it leaves none. */
export function hasWindow({ limit, where }: AST, table: Table): boolean {
  if (limit === undefined || limit === 0) return false
  const pinned = equalitiesOf(where).map(([column]) => column)
  return !table.primaryKey.every((column) => pinned.includes(column))
}

/** Columns that have one value in every matching row, from equalities no OR can bypass. */
function equalitiesOf(where: Condition | undefined): readonly (readonly [column: string, value: unknown])[] {
  if (where?.type === 'and') return where.conditions.flatMap(equalitiesOf)
  if (where?.type !== 'simple' || (where.op !== '=' && where.op !== 'IS')) return []
  const { left, right } = where
  return left.type === 'column' && right.type === 'literal' && right.value !== null ? [[left.name, right.value]] : []
}

/** Keys of several columns, and such as are no texts, pin nothing. */
function pinOf({ where }: AST, { primaryKey }: Table): { readonly column: string; readonly value: string } | undefined {
  const [column, ...others] = primaryKey
  const value = equalitiesOf(where).find(([name]) => name === column)?.[1]
  if (column === undefined || others.length > 0 || typeof value !== 'string') return undefined
  return { column, value: value.toWellFormed() }
}

type Visit = readonly [table: string, column: string | null]

/** Every node's table, with the column in which its rows have the pin: correlations hand it down. */
function* visitsOf({ table, where, related = [] }: AST, column: string | null): Generator<Visit> {
  yield [table, column]
  for (const { subquery, correlation } of [...existsIn(where), ...related]) {
    const at = column === null ? -1 : correlation.parentField.indexOf(column)
    yield* visitsOf(subquery, correlation.childField[at] ?? null)
  }
}

type Subquery = NonNullable<AST['related']>[number]

export function existsIn(where: Condition | undefined): readonly Subquery[] {
  if (where === undefined || where.type === 'simple') return []
  return where.type === 'correlatedSubquery' ? [where.related] : where.conditions.flatMap(existsIn)
}

/** A table that is visited twice is pinned only where both visits are. */
function commonColumn(visits: readonly Visit[]): string | null {
  const [first, ...others] = visits.map(([, column]) => column)
  return first !== undefined && others.every((column) => column === first) ? first : null
}
