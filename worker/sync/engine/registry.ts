/**
 * The queries of every client group, group by group, and their plans. A query is alive from `got` to `gone`; gone ones stay until pruned,
 * because a client between the two versions still holds their rows. They are read for such a client only, so that it costs nothing to have
 * closed many.
 */
import type { AST } from '@rocicorp/zero'
import { compile } from './compile.ts'
import { type EdgeHistory, movedAt } from './edges.ts'
import { Group, type RegisteredQuery } from './group.ts'
import type { Plan } from './plan.ts'
import { type QueryRow, QueryTable } from './query-table.ts'
import { reachText, type Scope, scopeOf } from './scope.ts'
import type { GroupQuery, Json, Sql, Tables, Version } from './types.ts'

/** Ours: plans are shared by groups with equal ASTs; beyond this many all are compiled anew. */
const MAX_PLANS = 1000

/** Of one that is gone nobody asks what may concern it. */
const nothing: Scope = { tables: new Map(), hasWindow: false, pin: null }

export class Registry {
  readonly #table: QueryTable
  readonly #tables: Tables
  readonly #groups = new Map<string, Group>()
  readonly #plans = new Map<string, Plan>()
  /** Gone queries of all groups; null until asked for. */
  #goneCount: number | null = null

  constructor(sql: Sql, tables: Tables) {
    this.#table = new QueryTable(sql)
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
    const known = this.#groups.get(id)
    if (known !== undefined) return known
    this.#takeOver(id)
    const group = new Group(id, this.#table, (row, reach) => this.#registered(row, { ...reach, pin: row.pin }), this.#table.newestGot())
    this.#groups.set(id, group)
    return group
  }

  /** The group's queries that were alive at `since` and are no more. */
  goneSince(group: Group, since: Version): readonly RegisteredQuery[] {
    if (!group.hasGoneSince(since)) return []
    return this.#table.goneSince(group.id, since).map((row) => this.#registered(row, nothing))
  }

  /** What the group had at a version, by hash. */
  queriesAt(groupID: string, version: Version): ReadonlyMap<string, GroupQuery> {
    const group = this.group(groupID)
    const alive = group.all().filter(({ got }) => got <= version)
    return new Map([...this.goneSince(group, version), ...alive].map(({ query }) => [query.hash, query]))
  }

  get goneCount(): number {
    this.#goneCount ??= this.#table.goneCount()
    return this.#goneCount
  }

  /** The version at which the last but `newer` of all gone queries went; 0 when there are no more than those. */
  goneBefore(newer: number): Version {
    return this.#table.goneBefore(newer)
  }

  add(group: Group, { hash, name, args, ast }: GroupQuery, got: Version, edges: EdgeHistory): void {
    const scope = scopeOf(ast, this.#tables)
    const row: QueryRow = {
      ...{ got, hash, gone: null, pin: scope.pin, name },
      ...{ args: JSON.stringify(args), ast: JSON.stringify(ast), edges: JSON.stringify(edges) },
    }
    group.add(row, scope)
  }

  remove(group: Group, registered: RegisteredQuery, gone: Version): void {
    group.remove(registered, gone)
    if (this.#goneCount !== null) this.#goneCount += 1
  }

  drop(id: string): void {
    this.#table.drop(id)
    this.#groups.delete(id)
    this.#goneCount = null
  }

  /** Queries gone at or before `floor` are held by no client that may still ask for a difference. */
  prune(floor: Version): void {
    this.#table.prune(floor)
    this.#groups.clear()
    this.#goneCount = null
  }

  clear(): void {
    this.#table.clear()
    this.#groups.clear()
    this.#goneCount = null
  }

  /** What an earlier release stored, also one that was gone back to for a while. */
  #takeOver(groupID: string): void {
    for (const { got, ast, edges } of this.#table.unscoped(groupID)) {
      // Written by that release.
      const [scope, moved] = [scopeOf(JSON.parse(ast) as AST, this.#tables), movedAt(JSON.parse(edges) as EdgeHistory)]
      this.#table.setScope(got, { reach: reachText(scope), pin: scope.pin, moved: moved > got ? moved : null })
    }
  }

  #registered(row: QueryRow, scope: Scope): RegisteredQuery {
    const query = queryOf(row)
    const compiled = () => this.plan(query.ast, row.ast)
    let plan: Plan | undefined
    return {
      ...{ query, scope, got: row.got, gone: row.gone },
      // Written by `add` and `moveEdge`.
      edges: JSON.parse(row.edges) as EdgeHistory,
      get plan() {
        plan ??= compiled()
        return plan
      },
    }
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

export function isAlive(registered: RegisteredQuery): boolean {
  return registered.gone === null
}
