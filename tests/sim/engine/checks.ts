/** Checks of a client after every sync. Each failure names its rule. */
import type { AST } from '@rocicorp/zero'
import type { GroupQuery, Sql } from '../../../worker/sync/engine/types.ts'
import { cover, type Database, evaluate, matching, type NaiveBound, rowID } from '../../support/naive-evaluator.ts'
import { tables } from './domain.ts'
import { databaseOf, type ModelClient, type RowStore } from './model-client.ts'

/** The true rows and what is derived from them, cached until `reset`. */
export type Truth = {
  readonly rows: RowStore
  readonly limitHysteresis: (limit: number) => number
  database(): Database
  result(ast: AST): string
  forget(): void
}

export function createTruth(rows: RowStore, limitHysteresis: Truth['limitHysteresis']): Truth {
  const results = new Map<AST, string>()
  let database: Database | null = null
  const truth: Truth = {
    rows,
    limitHysteresis,
    database() {
      database ??= databaseOf(rows)
      return database
    },
    result(ast) {
      const result = results.get(ast) ?? evaluate(ast, truth.database(), tables)
      results.set(ast, result)
      return result
    },
    forget() {
      results.clear()
      database = null
    },
  }
  return truth
}

/** Zero's own evaluation of a query, in the form of `evaluate`. */
export type Oracle = (ast: AST, database: Database) => string

export type Checked = {
  readonly client: ModelClient
  readonly queries: readonly GroupQuery[]
  readonly truth: Truth
  readonly sql: Sql
  readonly oracle: Oracle | null
}

export function checkClient(checked: Checked): void {
  checkFreshness(checked)
  checkCoverage(checked)
  checkResults(checked)
  const { client, queries } = checked
  const live = queries.map((query) => query.hash).toSorted()
  if (JSON.stringify([...client.got].toSorted()) !== JSON.stringify(live)) throw new Error(`got ${[...client.got]}, live ${live}`)
}

function checkFreshness({ client, truth }: Checked): void {
  for (const [table, rows] of client.rows) {
    for (const [id, { text }] of rows) {
      const real = truth.rows.get(table)?.get(id)?.text
      if (real !== text) throw new Error(`[E1] ${client.name} holds ${table}/${id} as ${text}, it is ${real}`)
    }
  }
}

/** The client holds exactly the rows that its live queries cover. */
function checkCoverage({ client, queries, truth, sql }: Checked): void {
  const covered = new Set<string>()
  for (const { hash, ast } of queries) {
    const bound = boundOf(sql, client.groupID, hash)
    const roots = cover(ast, truth.database(), tables, bound, (table, row) => covered.add(`${table}/${rowID(tables, table, row)}`))
    checkWindow(ast, roots, bound, truth)
  }
  for (const name of covered) if (!holds(client, name)) throw new Error(`[E2] ${client.name} lacks ${name}`)
  let count = 0
  for (const [table, rows] of client.rows) {
    for (const id of rows.keys()) {
      count += 1
      if (!covered.has(`${table}/${id}`)) throw new Error(`[E3] ${client.name} holds ${table}/${id}, which nothing covers`)
    }
  }
  if (count !== covered.size) throw new Error(`[E2] ${client.name} holds ${count} rows, ${covered.size} are covered`)
}

function checkWindow(ast: AST, roots: number, bound: NaiveBound, truth: Truth): void {
  if (ast.limit === undefined) return
  const most = ast.limit + truth.limitHysteresis(ast.limit)
  if (roots > most) throw new Error(`[E6] ${roots} rows within the bound ${JSON.stringify(bound)} of a window of ${ast.limit}`)
  const least = Math.min(ast.limit, matching(ast, truth.database()).length)
  if (roots < least) throw new Error(`[E6] ${roots} rows within the bound ${JSON.stringify(bound)}, ${least} are needed`)
}

function checkResults({ client, queries, truth, oracle }: Checked): void {
  const held = databaseOf(client.rows)
  for (const { hash, ast } of queries) {
    const real = truth.result(ast)
    const seen = evaluate(ast, held, tables)
    if (seen !== real) throw new Error(`[E2] ${client.name} sees ${hash} as ${seen}, it is ${real}`)
    const zero = oracle?.(ast, held) ?? real
    if (zero !== real) throw new Error(`[E2] Zero sees ${hash} as ${zero} over the client's rows, it is ${real}`)
  }
}

function holds(client: ModelClient, name: string): boolean {
  const slash = name.indexOf('/')
  return client.rows.get(name.slice(0, slash))?.has(name.slice(slash + 1)) === true
}

function boundOf(sql: Sql, groupID: string, hash: string): NaiveBound {
  const [row] = sql.all<{ bounds: string }>('select bounds from z_query where gid = ? and hash = ? and gone is null', groupID, hash)
  if (row === undefined) throw new Error(`${hash} is not stored`)
  const history = JSON.parse(row.bounds) as readonly (readonly [number, NaiveBound])[]
  return history.at(-1)?.[1] ?? null
}
