/**
 * The queries of every client group and their plans. A query is live from `got` to `removedAt`. Removed queries stay until they are pruned,
 * because a client between the two versions still holds their rows. They are read for such a client only.
 */
import type { AST } from '@rocicorp/zero'
import { tablesOf, unlimitedText } from './ast.ts'
import type { BoundHistory } from './bounds.ts'
import { compile } from './compile.ts'
import { Group, type RegisteredQuery } from './group.ts'
import type { Plan } from './plan.ts'
import { type QueryRow, QueryTable } from './query-table.ts'
import type { GroupQuery, Json, Sql, Tables, Version } from './types.ts'

/** Chosen: above this number all plans are dropped. Plans are kept by AST; without that, a first load costs 11 % more CPU. */
const MAX_PLANS = 1000

export class Registry {
  readonly #table: QueryTable
  readonly #tables: Tables
  readonly #groups = new Map<string, Group>()
  readonly #plans = new Map<string, Plan>()
  /** Removed queries of all groups; null until first needed. Counting reads up to 2,000 rows, and every connect asks. */
  #removedCount: number | null = null

  constructor(sql: Sql, tables: Tables) {
    this.#table = new QueryTable(sql)
    this.#tables = tables
  }

  /** Throws `UnsupportedQueryError`. */
  plan(ast: AST, text = JSON.stringify(ast)): Plan {
    const cached = this.#plans.get(text)
    if (cached !== undefined) return cached
    const plan = compile(ast, this.#tables)
    if (this.#plans.size >= MAX_PLANS) this.#plans.clear()
    this.#plans.set(text, plan)
    return plan
  }

  group(id: string): Group {
    const cached = this.#groups.get(id)
    if (cached !== undefined) return cached
    const group = new Group(id, this.#table, (row) => this.#registered(row))
    this.#groups.set(id, group)
    return group
  }

  /** The group's queries that were live at `since` and have been removed. */
  removedSince(group: Group, since: Version): readonly RegisteredQuery[] {
    if (!group.hasRemovalsSince(since)) return []
    return this.#table.removedSince(group.id, since).map((row) => this.#registered(row))
  }

  /** The group's queries at a version, by hash. */
  queriesAt(groupID: string, version: Version): ReadonlyMap<string, GroupQuery> {
    const group = this.group(groupID)
    const live = group.all().filter(({ got }) => got <= version)
    return new Map([...this.removedSince(group, version), ...live].map(({ query }) => [query.hash, query]))
  }

  get removedCount(): number {
    this.#removedCount ??= this.#table.removedCount()
    return this.#removedCount
  }

  /** The floor that keeps the `kept` newest removed queries; 0 if there are not more. */
  removalBefore(kept: number): Version {
    return this.#table.removalBefore(kept)
  }

  add(group: Group, { hash, name, args, ast }: GroupQuery, got: Version, bounds: BoundHistory): void {
    const texts = { args: JSON.stringify(args), ast: JSON.stringify(ast), bounds: JSON.stringify(bounds) }
    group.add({ got, hash, removedAt: null, name, ...texts })
  }

  remove(group: Group, registered: RegisteredQuery, removedAt: Version): void {
    group.remove(registered, removedAt)
    if (this.#removedCount !== null) this.#removedCount += 1
  }

  drop(id: string): void {
    this.#table.drop(id)
    this.#groups.delete(id)
    this.#removedCount = null
  }

  /** No client that can receive a difference holds queries that were removed at or before `floor`. */
  prune(floor: Version): void {
    this.#table.prune(floor)
    this.#groups.clear()
    this.#removedCount = null
  }

  clear(): void {
    this.#table.clear()
    this.#groups.clear()
    this.#removedCount = null
  }

  #registered(row: QueryRow): RegisteredQuery {
    const query = queryOf(row)
    const compiled = () => this.plan(query.ast, row.ast)
    let plan: Plan | undefined
    let tables: ReadonlySet<string> | undefined
    let unlimitedAst: string | undefined
    return {
      ...{ query, got: row.got, removedAt: row.removedAt },
      // Written by `add` and `moveBound`.
      bounds: JSON.parse(row.bounds) as BoundHistory,
      get tables() {
        tables ??= tablesOf(query.ast)
        return tables
      },
      get unlimitedAst() {
        unlimitedAst ??= unlimitedText(query.ast)
        return unlimitedAst
      },
      get plan() {
        plan ??= compiled()
        return plan
      },
    }
  }
}

/** Written by `add` alone. Parsed when first needed. */
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

export function isLive(registered: RegisteredQuery): boolean {
  return registered.removedAt === null
}
