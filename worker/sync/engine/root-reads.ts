/** The root rows of a query, for mutators, which run the same queries at every push. */
import type { AST } from '@rocicorp/zero'
import type { StoredRow } from './codec.ts'
import { compile } from './compile.ts'
import { bind, type Fragment, frag, query, raw } from './fragment.ts'
import { orderBySql } from './order.ts'
import { tableSql } from './predicate.ts'
import { type Sql, type Table, type Tables, unsupported } from './types.ts'

type Read = { readonly table: Table; readonly statement: Fragment }

/** Chosen: queries by id are many and short-lived, the others are few. Every awake object holds this cache. */
const MAX_READS = 50

export class RootReads {
  readonly #sql: Sql
  readonly #tables: Tables
  /** By AST: compiling costs more than running. Without this cache renaming a thread costs 19 % more CPU. */
  readonly #reads = new Map<string, Read>()

  constructor(sql: Sql, tables: Tables) {
    this.#sql = sql
    this.#tables = tables
  }

  run(ast: AST): { readonly table: Table; readonly rows: readonly StoredRow[] } {
    const { table, statement } = this.#read(ast)
    return { table, rows: query(this.#sql, statement) }
  }

  #read(ast: AST): Read {
    const text = JSON.stringify(ast)
    const cached = this.#reads.get(text)
    if (cached !== undefined) return cached
    const read = this.#compiled(ast)
    if (this.#reads.size >= MAX_READS) this.#reads.clear()
    this.#reads.set(text, read)
    return read
  }

  #compiled(ast: AST): Read {
    const { root, order } = compile(ast, this.#tables)
    if (root.children.some((child) => child.kind === 'related')) return unsupported('related() outside a condition', 'related')
    const first = ast.limit === undefined ? raw('') : frag` limit ${bind(ast.limit)}`
    const sorted = orderBySql(order, root.alias)
    return { table: root.table, statement: frag`select * from ${tableSql(root)} where ${root.local} order by ${sorted}${first}` }
  }
}
