/**
 * `D1Database` in memory, over `node:sqlite`, with the methods that the product uses. One suite (`../contracts/d1.ts`) runs on it and on
 * the D1 of workerd. Each new one is a copy of a migrated one.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { migratedDb } from '../migrated-db.ts'

/** Intercepts each batch: the caller gets its result or error. */
export type Gate = (statements: readonly string[], run: () => readonly D1Result[]) => Promise<readonly D1Result[]>

let migrated: Uint8Array | null = null

/** All migrations, in order, once per process. */
function migratedImage(): Uint8Array {
  if (migrated) return migrated
  const database = migratedDb()
  migrated = database.serialize()
  database.close()
  return migrated
}

function openImage(image: Uint8Array): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.deserialize(image)
  database.exec('pragma foreign_keys = on')
  return database
}

export class MemoryD1 {
  database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()
  readonly #known = new WeakMap<object, Asked>()

  constructor() {
    this.database = openImage(migratedImage())
  }

  /** The binding for the code under test. All statements pass through the gate. */
  binding(gate: Gate = async (_texts, run) => run()): D1Database {
    const batch = async (statements: readonly D1PreparedStatement[]): Promise<readonly D1Result[]> => {
      const asked = statements.map((statement) => this.#askedBy(statement))
      const texts = asked.map(({ text }) => text)
      return gate(texts, () => this.#transaction(() => asked.map(({ text, values }) => this.#run(text, values))))
    }
    const prepare = (text: string) => this.#statement(text, [], batch)
    // `exec`, `dump` and `withSession` are unused.
    return { prepare, batch } as unknown as D1Database
  }

  /** For reads and writes of tests, synchronous and without the gate. */
  all<T>(text: string, ...values: readonly SQLInputValue[]): T[] {
    return this.#run(text, values).results as T[]
  }

  /** The database file as a backup. */
  image(): Uint8Array {
    return this.database.serialize()
  }

  /** Replaces the database by a backup. */
  restore(image: Uint8Array): void {
    this.#statements.clear()
    this.database.close()
    this.database = openImage(image)
  }

  #askedBy(statement: D1PreparedStatement): Asked {
    const known = this.#known.get(statement)
    if (!known) throw new Error('a statement of this database was expected')
    return known
  }

  #statement(text: string, values: readonly SQLInputValue[], batch: Batch): D1PreparedStatement {
    const alone = async () => (await batch([statement]))[0] as D1Result
    const rows = async () => (await alone()).results as Record<string, unknown>[]
    const statement = {
      bind: (...given: unknown[]) => this.#statement(text, given.map(boundValue), batch),
      all: alone,
      run: alone,
      first: async (column?: string) => {
        const [row] = await rows()
        return row === undefined ? null : column === undefined ? row : row[column]
      },
      raw: async () => (await rows()).map((row) => Object.values(row)),
    } as unknown as D1PreparedStatement
    this.#known.set(statement, { text, values })
    return statement
  }

  #transaction<T>(run: () => T): T {
    this.database.exec('begin')
    try {
      const result = run()
      this.database.exec('commit')
      return result
    } catch (error) {
      this.database.exec('rollback')
      throw error
    }
  }

  #prepared(text: string): Prepared {
    const known = this.#statements.get(text)
    if (known) return known
    const statement = this.database.prepare(text)
    const prepared = { statement, hasRows: statement.columns().length > 0 }
    this.#statements.set(text, prepared)
    return prepared
  }

  #run(text: string, values: readonly SQLInputValue[]): D1Result {
    try {
      const { statement, hasRows } = this.#prepared(text)
      const results = hasRows ? statement.all(...values).map((row) => ({ ...row })) : []
      const changes = hasRows ? results.length : Number(statement.run(...values).changes)
      return { success: true, results, meta: { changes } } as unknown as D1Result
    } catch (error) {
      throw new Error(`D1_ERROR: ${error instanceof Error ? error.message : String(error)}: SQLITE_ERROR`)
    }
  }
}

type Prepared = { readonly statement: StatementSync; readonly hasRows: boolean }
type Asked = { readonly text: string; readonly values: readonly SQLInputValue[] }
type Batch = (statements: readonly D1PreparedStatement[]) => Promise<readonly D1Result[]>

function boundValue(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined) throw new Error(`D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'`)
  if (value === null || typeof value === 'number' || typeof value === 'string') return value
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${String(value)}'`)
}
