/**
 * `DurableObjectStorage` in memory, over `node:sqlite`, with the methods that the product uses and production's limits. One suite
 * (`../contracts/storage.ts`) compares it with workerd's.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { storageLimits } from '../node-sql.ts'

type Row = Record<string, SqlStorageValue>
type Prepared = { readonly statement: StatementSync; readonly hasRows: boolean }

/** The error of a statement that fails on request. */
export class StorageFault extends Error {}

export class MemoryStorage {
  readonly database = new DatabaseSync(':memory:', { limits: storageLimits })
  readonly #statements = new Map<string, Prepared>()
  readonly #kv = new Map<string, unknown>()
  #depth = 0
  alarmAtMs: number | null = null
  /** The number of statements that succeed before one fails; null: none fails. */
  failsAfter: number | null = null
  /** Rows that statements have inserted, changed or deleted; for tests that count. */
  rowsWritten = 0

  readonly sql = {
    exec: <T extends Row>(text: string, ...binds: SqlStorageValue[]): SqlStorageCursor<T> => this.#exec(text, binds) as SqlStorageCursor<T>,
  }

  readonly kv = {
    get: <T>(key: string): T | undefined => structuredClone(this.#kv.get(key)) as T | undefined,
    put: (key: string, value: unknown): void => void this.#kv.set(key, structuredClone(value)),
    delete: (key: string): boolean => this.#kv.delete(key),
  }

  /** A transaction inside another is a savepoint, as it is in workerd. */
  transactionSync = <T>(run: () => T): T => {
    const name = `transaction_${this.#depth}`
    const kvBefore = new Map(this.#kv)
    this.database.exec(`savepoint ${name}`)
    this.#depth += 1
    try {
      const result = run()
      this.database.exec(`release ${name}`)
      return result
    } catch (error) {
      this.database.exec(`rollback to ${name}; release ${name}`)
      this.#kv.clear()
      for (const [key, value] of kvBefore) this.#kv.set(key, value)
      throw error
    } finally {
      this.#depth -= 1
    }
  }

  getAlarm = async (): Promise<number | null> => this.alarmAtMs
  setAlarm = async (at: number | Date): Promise<void> => {
    this.alarmAtMs = Number(at)
  }
  deleteAlarm = async (): Promise<void> => {
    this.alarmAtMs = null
  }

  deleteAll = async (): Promise<void> => {
    const tables = "select name from sqlite_master where type = 'table' and name not like 'sqlite%'"
    this.#statements.clear()
    for (const { name } of this.database.prepare(tables).all()) this.database.exec(`drop table "${String(name)}"`)
    this.#kv.clear()
    this.alarmAtMs = null
  }

  #exec(text: string, binds: readonly SqlStorageValue[]): SqlStorageCursor<Row> {
    if (this.failsAfter !== null && --this.failsAfter < 0) {
      this.failsAfter = null
      throw new StorageFault('a statement failed')
    }
    const rows = this.#run(text, binds)
    let at = 0
    const next = () => {
      const value = rows[at++]
      return value === undefined ? ({ done: true } as const) : ({ done: false, value } as const)
    }
    const rest = () => {
      const left = rows.slice(at)
      at = rows.length
      return left
    }
    const cursor = {
      next,
      toArray: rest,
      one: () => {
        const [row, ...others] = rest()
        if (!row || others.length > 0) throw new Error(`Expected exactly one result from SQL query, but got ${row ? 'more' : 'none'}`)
        return row
      },
      [Symbol.iterator]: () => ({ next, [Symbol.iterator]: () => cursor[Symbol.iterator]() }),
      raw: () =>
        rest()
          .map((row) => Object.values(row))
          [Symbol.iterator](),
    }
    // The missing members of a cursor (`columnNames`, `rowsRead`) are unused.
    return cursor as unknown as SqlStorageCursor<Row>
  }

  /** Several statements in one text run with `database.exec`, for creating tables. */
  #run(text: string, binds: readonly SqlStorageValue[]): Row[] {
    if (binds.length === 0 && !this.#statements.has(text) && /;\s*\S/.test(text)) {
      this.database.exec(text)
      return []
    }
    const { statement, hasRows } = this.#prepared(text)
    const values = binds.map((value): SQLInputValue => (value instanceof ArrayBuffer ? new Uint8Array(value) : value))
    if (hasRows) return (statement.all(...values) as Row[]).map((row) => ({ ...row }))
    this.rowsWritten += Number(statement.run(...values).changes)
    return []
  }

  #prepared(text: string): Prepared {
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.database.prepare(text)
    const prepared = { statement, hasRows: statement.columns().length > 0 }
    this.#statements.set(text, prepared)
    return prepared
  }
}
