/**
 * The root rows of a query for mutators, which run the same queries at every push. Small results of one table are cached and updated with
 * every change. A cache only: other results are read.
 */
import type { AST } from '@rocicorp/zero'
import type { StoredRow } from './codec.ts'
import { compile } from './compile.ts'
import { bind, combine, type Fragment, frag, query, quote, raw } from './fragment.ts'
import { orderBySql } from './order.ts'
import type { Plan } from './plan.ts'
import { tableSql } from './predicate.ts'
import { type Sql, type Table, type Tables, unsupported } from './types.ts'

type Read = {
  readonly table: Table
  readonly statement: Fragment
  /** Columns of the condition and order; null when other tables decide too. */
  readonly decisive: ReadonlySet<string> | null
  cached: readonly StoredRow[] | null
}

/** Chosen: queries by id are many and short-lived, the others are few. Every awake object holds this cache. */
const MAX_READS = 50
const MAX_CACHED_ROWS = 4
const MAX_CACHED_CHARS = 4096

export class RootReads {
  readonly #sql: Sql
  readonly #tables: Tables
  /** By AST: compiling one costs more than running it. */
  readonly #reads = new Map<string, Read>()

  constructor(sql: Sql, tables: Tables) {
    this.#sql = sql
    this.#tables = tables
  }

  run(ast: AST): { readonly table: Table; readonly rows: readonly StoredRow[] } {
    const read = this.#read(ast)
    if (read.cached !== null) return { table: read.table, rows: read.cached }
    const rows = query(this.#sql, read.statement)
    if (read.decisive !== null && isSmall(rows)) read.cached = rows
    return { table: read.table, rows }
  }

  /** Call for every written row. `written`: the columns of an update. */
  changed(table: Table, row: StoredRow | null, written: readonly string[]): void {
    for (const read of this.#reads.values()) {
      if (read.table !== table || read.cached === null) continue
      const isNonStructural = row !== null && written.length > 0 && !written.some((column) => read.decisive?.has(column))
      const cached = isNonStructural ? read.cached.map((known) => (isSameRow(table, known, row) ? row : known)) : null
      read.cached = cached !== null && isSmall(cached) ? cached : null
    }
  }

  #read(ast: AST): Read {
    const text = JSON.stringify(ast)
    const known = this.#reads.get(text)
    if (known !== undefined) return known
    const read = keyedReadOf(ast, this.#tables) ?? readOf(compile(ast, this.#tables), ast.limit)
    if (this.#reads.size >= MAX_READS) this.#reads.clear()
    this.#reads.set(text, read)
    return read
  }
}

/** One row by its id, the most frequent query of mutators. Without a plan, which costs more than the row. Null for any other query. */
function keyedReadOf({ table: name, where, related, start, limit, orderBy = [] }: AST, tables: Tables): Read | null {
  const table = tables[name]
  if (!table || !where || related?.length || start || limit === 0) return null
  if (orderBy.some(([column]) => !table.primaryKey.includes(column))) return null
  const equal = new Map<string, string>()
  for (const part of where.type === 'and' ? where.conditions : [where]) {
    if (part.type !== 'simple' || part.op !== '=' || part.left.type !== 'column' || part.right.type !== 'literal') return null
    const [column, value] = [part.left.name, part.right.value]
    if (table.columns[column]?.type !== 'string' || typeof value !== 'string' || equal.has(column)) return null
    equal.set(column, value.toWellFormed())
  }
  if (!table.primaryKey.every((column) => equal.has(column))) return null
  const conditions = [...equal].map(([column, value]) => frag`${raw(quote(column))} = ${bind(value)}`)
  const statement = frag`select * from ${raw(quote(table.name))} where ${combine(conditions, ' and ')}`
  return { table, statement, decisive: new Set(equal.keys()), cached: null }
}

function readOf({ nodes, root, order, structural }: Plan, limit: number | undefined): Read {
  if (root.children.some((child) => child.kind === 'related')) return unsupported('related() outside a condition', 'related')
  const first = limit === undefined ? raw('') : frag` limit ${bind(limit)}`
  const sorted = orderBySql(order, root.alias)
  const { table } = root
  const decisive = new Set([...(structural.get(table.name) ?? []), ...order.map(({ column }) => column)])
  return {
    table,
    statement: frag`select * from ${tableSql(root)} where ${root.local} order by ${sorted}${first}`,
    decisive: nodes.length === 1 ? decisive : null,
    cached: null,
  }
}

function isSmall(rows: readonly StoredRow[]): boolean {
  if (rows.length > MAX_CACHED_ROWS) return false
  let chars = 0
  for (const row of rows) for (const value of Object.values(row)) if (typeof value === 'string') chars += value.length
  return chars <= MAX_CACHED_CHARS
}

const isSameRow = (table: Table, a: StoredRow, b: StoredRow): boolean => table.primaryKey.every((column) => a[column] === b[column])
