/**
 * The root rows of a query as they are now, for mutators, which ask the same few questions at every push, before anything else can begin.
 * Small answers of one table are kept, and follow what is applied; only a shortcut: what is not kept is read.
 */
import type { AST } from '@rocicorp/zero'
import type { StoredRow } from './codec.ts'
import { compile } from './compile.ts'
import { bind, combine, type Fragment, frag, query, quote, raw } from './fragment.ts'
import { orderBySql } from './order.ts'
import type { Plan } from './plan.ts'
import { tableSql } from './predicate.ts'
import type { Sql, Table, Tables } from './types.ts'
import { unsupported } from './unsupported.ts'

type Read = {
  readonly table: Table
  readonly statement: Fragment
  /** Columns that decide which rows it answers with, and in which order; null when other tables have a say. */
  readonly decisive: ReadonlySet<string> | null
  kept: readonly StoredRow[] | null
}

/** Ours: questions about ids come and go, the others are few; together they are held by every object that is awake. */
const MAX_READS = 50
const MAX_KEPT_ROWS = 4
const MAX_KEPT_CHARS = 4096

export class RootReads {
  readonly #sql: Sql
  readonly #tables: Tables
  /** By AST; compiling one costs more than asking it. */
  readonly #reads = new Map<string, Read>()

  constructor(sql: Sql, tables: Tables) {
    this.#sql = sql
    this.#tables = tables
  }

  run(ast: AST): { readonly table: Table; readonly rows: readonly StoredRow[] } {
    const read = this.#read(ast)
    if (read.kept !== null) return { table: read.table, rows: read.kept }
    const rows = query(this.#sql, read.statement)
    if (read.decisive !== null && isSmall(rows)) read.kept = rows
    return { table: read.table, rows }
  }

  /** To be told of every row that is written. `written`: the columns of an update. */
  changed(table: Table, row: StoredRow | null, written: readonly string[]): void {
    for (const read of this.#reads.values()) {
      if (read.table !== table || read.kept === null) continue
      const isQuiet = row !== null && written.length > 0 && !written.some((column) => read.decisive?.has(column))
      const kept = isQuiet ? read.kept.map((known) => (isSameRow(table, known, row) ? row : known)) : null
      read.kept = kept !== null && isSmall(kept) ? kept : null
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

/** One row by its id, which is most of what mutators ask: without a plan, which costs more than the row. Null for any other question. */
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
  return { table, statement, decisive: new Set(equal.keys()), kept: null }
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
    kept: null,
  }
}

function isSmall(rows: readonly StoredRow[]): boolean {
  if (rows.length > MAX_KEPT_ROWS) return false
  let chars = 0
  for (const row of rows) for (const value of Object.values(row)) if (typeof value === 'string') chars += value.length
  return chars <= MAX_KEPT_CHARS
}

const isSameRow = (table: Table, a: StoredRow, b: StoredRow): boolean => table.primaryKey.every((column) => a[column] === b[column])
