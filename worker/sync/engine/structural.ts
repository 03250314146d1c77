/**
 * The columns that the log stores: those that decide membership, correlation or window order in any query ever added (SPEC E4). A column is
 * registered before the version of its query is taken and stays registered, so an old image has every column that an older query needs.
 */
import type { StoredRow } from './codec.ts'
import type { Plan } from './plan.ts'
import type { Sql } from './types.ts'

export class StructuralColumns {
  readonly #sql: Sql
  readonly #byTable = new Map<string, Set<string>>()

  constructor(sql: Sql) {
    this.#sql = sql
    for (const { tbl, col } of sql.all<{ tbl: string; col: string }>('select tbl, col from z_struct')) this.#columns(tbl).add(col)
  }

  register(plan: Plan): void {
    for (const [table, columns] of plan.structural) {
      const columnSet = this.#columns(table)
      for (const column of columns) {
        if (columnSet.has(column)) continue
        this.#sql.run('insert into z_struct (tbl, col) values (?, ?)', table, column)
        columnSet.add(column)
      }
    }
  }

  /** The image of a row before a change, or `null` when no written column is structural. */
  imageBefore(table: string, old: StoredRow, written: readonly string[] | 'all'): StoredRow | null {
    const columns = this.#columns(table)
    if (written !== 'all' && !written.some((column) => columns.has(column))) return null
    return Object.fromEntries([...columns].map((column) => [column, old[column] ?? null]))
  }

  #columns(table: string): Set<string> {
    const columns = this.#byTable.get(table) ?? new Set()
    this.#byTable.set(table, columns)
    return columns
  }
}

export function createStruct(sql: Sql): void {
  sql.run('create table if not exists z_struct (tbl text, col text, primary key (tbl, col)) without rowid')
}
