/**
 * D1 over `node:sqlite`, in memory, with the product's own migrations: for tests that do something thousands of times. It has what
 * `worker/db` asks for: bound statements, one at a time, and batches that happen whole or not at all. Every call takes a turn of the loop.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { migratedDb } from './migrated-db.ts'

export type NodeD1 = D1Database & {
  /** Called before every statement; what it throws is what D1 answers. */
  onStatement: (sql: string) => void
}

type Rows = { results: Record<string, unknown>[]; success: true; meta: object }

export function createNodeD1(): NodeD1 {
  const database = migratedDb()
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>()

  function run(sql: string, values: readonly SQLInputValue[]): Rows {
    d1.onStatement(sql)
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    statement.setAllowUnknownNamedParameters(true)
    const isNumbered = /\?\d/.test(sql)
    const rows = isNumbered ? statement.all(Object.fromEntries(values.map((value, i) => [`?${i + 1}`, value]))) : statement.all(...values)
    return { results: rows as Record<string, unknown>[], success: true, meta: {} }
  }

  const statementOf = (sql: string, values: readonly SQLInputValue[]) => ({
    bind: (...bound: SQLInputValue[]) => statementOf(sql, bound),
    now: () => run(sql, values),
    all: async () => afterTurn(() => run(sql, values)),
    run: async () => afterTurn(() => run(sql, values)),
    first: async (column?: string) => {
      const [row] = (await afterTurn(() => run(sql, values))).results
      return column === undefined ? (row ?? null) : (row?.[column] ?? null)
    },
  })

  async function batch(statements: readonly { now(): Rows }[]): Promise<Rows[]> {
    return afterTurn(() => {
      database.exec('begin')
      try {
        const results = statements.map((statement) => statement.now())
        database.exec('commit')
        return results
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    })
  }

  // The rest of D1's interface is nobody's business here.
  const d1 = { prepare: (sql: string) => statementOf(sql, []), batch, onStatement: () => undefined } as unknown as NodeD1
  return d1
}

/** Something else may happen between asking and the answer, as over a network. */
async function afterTurn<T>(answer: () => T): Promise<T> {
  await null
  return answer()
}
