/**
 * The queries of every client group: `z_query`, and in memory the live ones, loaded group by group. A query is alive from `got` to
 * `gone`; gone ones stay until pruned, because a client between the two versions still holds their rows. They are read for such a client
 * only, so that it costs nothing to have closed many.
 */
import type { AST } from '@rocicorp/zero'
import { compile } from './compile.ts'
import type { EdgeHistory } from './edges.ts'
import type { Plan } from './plan.ts'
import { type Scope, scopeOf } from './scope.ts'
import type { GroupQuery, Json, Sql, Tables, Version } from './types.ts'

export type RegisteredQuery = {
  readonly query: GroupQuery
  readonly scope: Scope
  /** Compiled when it is first asked for: at a wake a group may have hundreds of queries, and a change concerns few. */
  readonly plan: Plan
  readonly got: Version
  readonly gone: Version | null
  edges: EdgeHistory
}

export type Group = {
  readonly id: string
  /** The live ones. */
  readonly queries: RegisteredQuery[]
  /** The version at which the last of the others went, 0 when there is none: whoever stands there holds nothing of theirs. */
  newestGone: Version
  /** The version of the last sync since the group was loaded; `null` before the first. */
  syncedAt: Version | null
}

type QueryRow = { hash: string; got: number; gone: number | null; name: string; args: string; ast: string; edges: string }

const columns = 'hash, got, gone, name, args, ast, edges'

/** What a query compares with, when that is a text: it has no say in the query's scope. */
const comparedTexts = /"value":"(?:[^"\\]|\\.)*"/g

/** Ours: plans are shared by groups with equal ASTs; beyond this many all are compiled anew. */
const MAX_PLANS = 1000

export class Registry {
  readonly #sql: Sql
  readonly #tables: Tables
  readonly #groups = new Map<string, Group>()
  readonly #plans = new Map<string, Plan>()
  /** By the text of an AST without the texts that it compares with: reading that costs less than parsing it. */
  readonly #scopes = new Map<string, Scope>()
  /** Gone queries of all groups; null until asked for. */
  #goneCount: number | null = null

  constructor(sql: Sql, tables: Tables) {
    this.#sql = sql
    this.#tables = tables
  }

  /** Throws `UnsupportedQueryError`. */
  plan(ast: AST, text = JSON.stringify(ast)): Plan {
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
    const rows = this.#sql.all<QueryRow>(`select ${columns} from z_query where gone is null and gid = ? order by got`, id)
    const [last] = this.#sql.all<{ gone: number }>(
      'select gone from z_query where gone is not null and gid = ? order by gone desc limit 1',
      id,
    )
    const group: Group = { id, queries: rows.map((row) => this.#registered(row)), newestGone: last?.gone ?? 0, syncedAt: null }
    this.#groups.set(id, group)
    return group
  }

  /** The group's queries that were alive at `since` and are no more. */
  goneSince({ id, newestGone }: Group, since: Version): readonly RegisteredQuery[] {
    if (since >= newestGone) return []
    const rows = this.#sql.all<QueryRow>(
      `select ${columns} from z_query where gone > ? and gid = ? and got <= ? order by got`,
      since,
      id,
      since,
    )
    return rows.map((row) => this.#registered(row))
  }

  /** The newest of this hash that had come by then. */
  queryAt(groupID: string, hash: string, version: Version): GroupQuery | undefined {
    const [row] = this.#sql.all<QueryRow>(
      `select ${columns} from z_query where gid = ? and hash = ? and got <= ? order by got desc limit 1`,
      ...[groupID, hash, version],
    )
    return row && queryOf(row)
  }

  get goneCount(): number {
    this.#goneCount ??= this.#sql.all<{ n: number }>('select count(*) n from z_query where gone is not null')[0]?.n ?? 0
    return this.#goneCount
  }

  /** The version at which the last but `newer` of all gone queries went; 0 when there are no more than those. */
  goneBefore(newer: number): Version {
    return (
      this.#sql.all<{ gone: number }>('select gone from z_query where gone is not null order by gone desc limit 1 offset ?', newer)[0]
        ?.gone ?? 0
    )
  }

  add(group: Group, query: GroupQuery, got: Version, edges: EdgeHistory): void {
    const { hash, name, args, ast } = query
    const text = JSON.stringify(ast)
    this.#sql.run(
      'insert into z_query (gid, hash, got, gone, name, args, ast, edges) values (?, ?, ?, null, ?, ?, ?, ?)',
      ...[group.id, hash, got, name, JSON.stringify(args), text, JSON.stringify(edges)],
    )
    group.queries.push(this.#lazy(query, text, { got, gone: null, edges }))
  }

  remove(group: Group, registered: RegisteredQuery, gone: Version): void {
    this.#sql.run('update z_query set gone = ? where gid = ? and hash = ? and got = ?', gone, ...this.#key(group, registered))
    group.queries.splice(group.queries.indexOf(registered), 1)
    group.newestGone = gone
    if (this.#goneCount !== null) this.#goneCount += 1
  }

  moveEdge(group: Group, registered: RegisteredQuery, edges: EdgeHistory): void {
    const text = JSON.stringify(edges)
    this.#sql.run('update z_query set edges = ? where gid = ? and hash = ? and got = ?', text, ...this.#key(group, registered))
    registered.edges = edges
  }

  drop(id: string): void {
    this.#sql.run('delete from z_query where gid = ?', id)
    this.#groups.delete(id)
    this.#goneCount = null
  }

  /** Queries gone at or before `floor` are held by no client that may still ask for a difference. */
  prune(floor: Version): void {
    this.#sql.run('delete from z_query where gone <= ?', floor)
    this.#groups.clear()
    this.#goneCount = null
  }

  clear(): void {
    this.#sql.run('delete from z_query')
    this.#groups.clear()
    this.#goneCount = null
  }

  #registered(row: QueryRow): RegisteredQuery {
    const query = queryOf(row)
    // Written by `add` and `moveEdge`.
    return this.#lazy(query, row.ast, { got: row.got, gone: row.gone, edges: JSON.parse(row.edges) as EdgeHistory })
  }

  #lazy(query: GroupQuery, text: string, state: Pick<RegisteredQuery, 'got' | 'gone' | 'edges'>): RegisteredQuery {
    const compiled = () => this.plan(query.ast, text)
    const scoped = () => this.#scope(query, text)
    let plan: Plan | undefined
    let scope: Scope | undefined
    return {
      ...state,
      query,
      get plan() {
        plan ??= compiled()
        return plan
      },
      get scope() {
        scope ??= scoped()
        return scope
      },
    }
  }

  #scope(query: GroupQuery, text: string): Scope {
    const shape = text.replaceAll(comparedTexts, '')
    const known = this.#scopes.get(shape)
    if (known !== undefined) return known
    const scope = scopeOf(query.ast, this.#tables)
    if (this.#scopes.size >= MAX_PLANS) this.#scopes.clear()
    this.#scopes.set(shape, scope)
    return scope
  }

  #key(group: Group, { query, got }: RegisteredQuery): [string, string, number] {
    return [group.id, query.hash, got]
  }
}

/** Written by `add` alone; parsed when something first needs it. */
function queryOf(row: QueryRow): GroupQuery {
  let ast: AST | undefined
  return {
    hash: row.hash,
    name: row.name,
    get args() {
      return JSON.parse(row.args) as Json[]
    },
    get ast() {
      ast ??= JSON.parse(row.ast) as AST
      return ast
    },
  }
}

export function createQueryTable(sql: Sql): void {
  sql.run(
    `create table if not exists z_query (
       gid text, hash text, got integer, gone integer, name text, args text, ast text, edges text,
       primary key (gid, hash, got)
     ) without rowid`,
  )
  sql.run('create index if not exists z_query_gone on z_query (gone, gid)')
}

export function isAlive(registered: RegisteredQuery): boolean {
  return registered.gone === null
}
