/**
 * The queries of every client group: `z_query` and its mirror in memory, loaded group by group. A query is alive from `got` to
 * `gone`; gone ones stay until pruned, because a client between the two versions still holds their rows.
 */
import type { AST } from '@rocicorp/zero'
import { compile } from './compile.ts'
import type { EdgeHistory } from './edges.ts'
import type { Plan } from './plan.ts'
import type { GroupQuery, Json, Sql, Tables, Version } from './types.ts'

export type RegisteredQuery = {
  readonly query: GroupQuery
  readonly plan: Plan
  readonly got: Version
  gone: Version | null
  edges: EdgeHistory
}

export type Group = {
  readonly id: string
  readonly queries: RegisteredQuery[]
  /** The version of the last sync since the group was loaded; `null` before the first. */
  syncedAt: Version | null
}

type QueryRow = { hash: string; got: number; gone: number | null; name: string; args: string; ast: string; edges: string }

/** Ours: plans are shared by groups with equal ASTs; beyond this many all are compiled anew. */
const MAX_PLANS = 1000

export class Registry {
  readonly #sql: Sql
  readonly #tables: Tables
  readonly #groups = new Map<string, Group>()
  readonly #plans = new Map<string, Plan>()

  constructor(sql: Sql, tables: Tables) {
    this.#sql = sql
    this.#tables = tables
  }

  /** Throws `UnsupportedQueryError`. */
  plan(ast: AST): Plan {
    const text = JSON.stringify(ast)
    const known = this.#plans.get(text)
    if (known !== undefined) return known
    const plan = compile(ast, this.#tables)
    if (this.#plans.size >= MAX_PLANS) this.#plans.clear()
    this.#plans.set(text, plan)
    return plan
  }

  group(id: string): Group {
    const loaded = this.#groups.get(id)
    if (loaded !== undefined) return loaded
    const rows = this.#sql.all<QueryRow>('select hash, got, gone, name, args, ast, edges from z_query where gid = ? order by got', id)
    const group: Group = { id, queries: rows.map((row) => this.#registered(row)), syncedAt: null }
    this.#groups.set(id, group)
    return group
  }

  add(group: Group, query: GroupQuery, got: Version, edges: EdgeHistory): void {
    const { hash, name, args, ast } = query
    this.#sql.run(
      'insert into z_query (gid, hash, got, gone, name, args, ast, edges) values (?, ?, ?, null, ?, ?, ?, ?)',
      ...[group.id, hash, got, name, JSON.stringify(args), JSON.stringify(ast), JSON.stringify(edges)],
    )
    group.queries.push({ query, plan: this.plan(ast), got, gone: null, edges })
  }

  remove(group: Group, registered: RegisteredQuery, gone: Version): void {
    this.#sql.run('update z_query set gone = ? where gid = ? and hash = ? and got = ?', gone, ...this.#key(group, registered))
    registered.gone = gone
  }

  moveEdge(group: Group, registered: RegisteredQuery, edges: EdgeHistory): void {
    const text = JSON.stringify(edges)
    this.#sql.run('update z_query set edges = ? where gid = ? and hash = ? and got = ?', text, ...this.#key(group, registered))
    registered.edges = edges
  }

  drop(id: string): void {
    this.#sql.run('delete from z_query where gid = ?', id)
    this.#groups.delete(id)
  }

  /** Queries gone at or before `floor` are held by no client that may still ask for a difference. */
  prune(floor: Version): void {
    this.#sql.run('delete from z_query where gone <= ?', floor)
    this.#groups.clear()
  }

  clear(): void {
    this.#sql.run('delete from z_query')
    this.#groups.clear()
  }

  #registered(row: QueryRow): RegisteredQuery {
    // Written by `add` and `moveEdge`.
    const query: GroupQuery = { hash: row.hash, name: row.name, args: JSON.parse(row.args) as Json[], ast: JSON.parse(row.ast) as AST }
    return { query, plan: this.plan(query.ast), got: row.got, gone: row.gone, edges: JSON.parse(row.edges) as EdgeHistory }
  }

  #key(group: Group, { query, got }: RegisteredQuery): [string, string, number] {
    return [group.id, query.hash, got]
  }
}

export function createQueryTable(sql: Sql): void {
  sql.run(
    `create table if not exists z_query (
       gid text, hash text, got integer, gone integer, name text, args text, ast text, edges text,
       primary key (gid, hash, got)
     ) without rowid`,
  )
}

export function isAlive(registered: RegisteredQuery): boolean {
  return registered.gone === null
}
