/** The replica: one table per synced table, with exactly its columns. Reads and writes rows by primary key; plans read sets. */
import type { StoredRow } from './codec.ts'
import { quote } from './fragment.ts'
import type { ColumnType, Sql, SqlValue, Table, Tables } from './types.ts'

/** Additional indexes per table. */
export type Indexes = { readonly [table: string]: readonly Index[] }
/** Its columns, or a partial index on rows with a value in a column. A pair is a descending column. */
type Index = readonly IndexColumn[] | { readonly columns: readonly IndexColumn[]; readonly present: string }
type IndexColumn = string | readonly [column: string, direction: 'desc']

const SQL_TYPES: { readonly [type in ColumnType]: string } = { string: 'text', number: 'real', boolean: 'integer', json: 'text' }

export class Replica {
  readonly #sql: Sql
  readonly #tables: Tables
  readonly #indexes: Indexes
  /** An import writes thousands of rows of a table. */
  readonly #texts = new Map<Table, Texts>()

  constructor(sql: Sql, tables: Tables, indexes: Indexes) {
    this.#sql = sql
    this.#tables = tables
    this.#indexes = indexes
  }

  /** Creates what is missing. A new column is null until the rows are loaded again. */
  migrate(): void {
    for (const table of Object.values(this.#tables)) {
      const existing = this.#sql.all<{ name: string }>('select name from pragma_table_info(?)', table.name).map((row) => row.name)
      if (existing.length === 0) this.#sql.run(createTable(table))
      else for (const column of Object.keys(table.columns)) if (!existing.includes(column)) this.#sql.run(addColumn(table, column))
      for (const index of this.#indexes[table.name] ?? []) this.#sql.run(createIndex(table, index))
    }
  }

  /** Deletes all rows and creates the tables with their current columns. */
  recreate(): void {
    for (const table of Object.values(this.#tables)) this.#sql.run(`drop table if exists ${quote(table.name)}`)
    this.migrate()
  }

  table(name: string): Table {
    const table = this.#tables[name]
    if (table === undefined) throw new TypeError(`${name} is not a synced table`)
    return table
  }

  read(table: Table, key: readonly SqlValue[]): StoredRow | null {
    return this.#sql.all(this.#textsOf(table).read, ...key)[0] ?? null
  }

  /** Inserts the row or replaces the one with the same key. */
  put(table: Table, row: StoredRow): void {
    const { columns, put } = this.#textsOf(table)
    this.#sql.run(put, ...columns.map((column) => row[column] ?? null))
  }

  /** `put` for each row. A statement for each row takes most of the time of an import, so a page of rows is one JSON bind. */
  putAll(rows: readonly TableRow[]): void {
    for (const [table, ofTable] of Map.groupBy(rows, (each) => each.table)) {
      const { columns, putPage } = this.#textsOf(table)
      let page: string[] = []
      let chars = 0
      const writePage = () => {
        if (page.length > 0) this.#sql.run(putPage, `[${page.join(',')}]`)
        page = []
        chars = 0
      }
      for (const { row } of ofTable) {
        const text = JSON.stringify(columns.map((column) => row[column] ?? null))
        if (chars + text.length > MAX_PAGE_CHARS) writePage()
        if (text.length > MAX_PAGE_CHARS) this.put(table, row)
        else {
          page.push(text)
          chars += text.length
        }
      }
      writePage()
    }
  }

  /** Writes the given columns only: an index on an unchanged column is not billed. */
  update(table: Table, key: readonly SqlValue[], row: StoredRow, columns: readonly string[]): void {
    const assignments = columns.map((column) => `${quote(column)} = ?`).join(', ')
    const values = columns.map((column) => row[column] ?? null)
    this.#sql.run(`update ${quote(table.name)} set ${assignments} where ${keyCondition(table)}`, ...values, ...key)
  }

  remove(table: Table, key: readonly SqlValue[]): void {
    this.#sql.run(`delete from ${quote(table.name)} where ${keyCondition(table)}`, ...key)
  }

  #textsOf(table: Table): Texts {
    const texts = this.#texts.get(table) ?? textsOf(table)
    this.#texts.set(table, texts)
    return texts
  }
}

export type TableRow = { readonly table: Table; readonly row: StoredRow }

/** Chosen: far below the 2 MB that a bind may have. */
const MAX_PAGE_CHARS = 128 * 1024

type Texts = { readonly columns: readonly string[]; readonly read: string; readonly put: string; readonly putPage: string }

function textsOf(table: Table): Texts {
  const columns = Object.keys(table.columns)
  const name = quote(table.name)
  const put = `insert or replace into ${name} (${columns.map(quote).join(', ')})`
  return {
    columns,
    read: `select * from ${name} where ${keyCondition(table)}`,
    put: `${put} values (${columns.map(() => '?').join(', ')})`,
    putPage: `${put} select ${columns.map((_, i) => `value ->> ${i}`).join(', ')} from json_each(?)`,
  }
}

function keyCondition(table: Table): string {
  return table.primaryKey.map((column) => `${quote(column)} = ?`).join(' and ')
}

function createTable(table: Table): string {
  const columns = Object.entries(table.columns).map(([column, { type }]) => `${quote(column)} ${SQL_TYPES[type]}`)
  // Without rowids, because the primary key would be a separate index, which is billed.
  return `create table ${quote(table.name)} (${columns.join(', ')}, primary key (${table.primaryKey.map(quote).join(', ')})) without rowid`
}

function addColumn(table: Table, column: string): string {
  return `alter table ${quote(table.name)} add column ${quote(column)} ${SQL_TYPES[table.columns[column]?.type ?? 'json']}`
}

function createIndex(table: Table, index: Index): string {
  const { columns, present } = 'columns' in index ? index : { columns: index, present: null }
  const name = quote([table.name, ...columns.flat()].join('_'))
  const parts = columns.map((column) => (typeof column === 'string' ? quote(column) : `${quote(column[0])} ${column[1]}`))
  const where = present === null ? '' : ` where ${quote(present)} is not null`
  return `create index if not exists ${name} on ${quote(table.name)} (${parts.join(', ')})${where}`
}
