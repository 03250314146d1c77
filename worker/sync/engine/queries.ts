/**
 * The queries of every client group and their plans. A query is live from `got` to `removedAt`. Removed queries stay until they are pruned,
 * because a client between the two versions still holds their rows. They are read for such a client only.
 */
import type { AST } from '@rocicorp/zero'
import { compile, tablesOf, unlimitedText } from './compile.ts'
import type { RowChange } from './log.ts'
import type { Plan } from './plan.ts'
import type { GroupQuery, Json, Sql, Tables, Version } from './types.ts'
import { type BoundHistory, movedAt } from './window.ts'

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

export type RegisteredQuery = {
  readonly query: GroupQuery
  /** Tables that the query reads. */
  readonly tables: ReadonlySet<string>
  /** The same for queries that differ by their root limit only. */
  readonly unlimitedAst: string
  /** Compiled on first access. */
  readonly plan: Plan
  readonly got: Version
  readonly removedAt: Version | null
  bounds: BoundHistory
}

/** The live queries of one client group, read from `z_query` when first needed. */
export class Group {
  readonly id: string
  readonly #table: QueryTable
  readonly #register: (row: QueryRow) => RegisteredQuery
  /** Ordered by `got`. Null until first needed. */
  #all: readonly RegisteredQuery[] | null = null
  /** Saves a statement for each group and poke: a push to ten browsers takes 8 in place of 18. */
  #newestRemoval: Version

  constructor(id: string, table: QueryTable, register: (row: QueryRow) => RegisteredQuery) {
    this.id = id
    this.#table = table
    this.#register = register
    this.#newestRemoval = table.newestRemovalOf(id)
  }

  all(): readonly RegisteredQuery[] {
    this.#all ??= this.#table.all(this.id).map(this.#register)
    return this.#all
  }

  /** Queries that were added or whose window bound moved after `since` (both set `movedAt`), or that read a changed table. */
  affectedBy(since: Version, changes: readonly RowChange[]): readonly RegisteredQuery[] {
    const changed = [...new Set(changes.map(({ table }) => table.name))]
    return this.all().filter(({ bounds, tables }) => movedAt(bounds) > since || changed.some((name) => tables.has(name)))
  }

  readersOf(table: string): readonly RegisteredQuery[] {
    return this.all().filter(({ tables }) => tables.has(table))
  }

  hasRemovalsSince(since: Version): boolean {
    return this.#newestRemoval > since
  }

  add(row: QueryRow): void {
    // Load before inserting, or `all()` would also return the new row.
    const all = this.all()
    this.#table.insert(this.id, row)
    this.#all = [...all, this.#register(row)]
  }

  remove(registered: RegisteredQuery, removedAt: Version): void {
    this.#table.setRemovedAt(registered.got, removedAt)
    this.#all = this.all().filter((one) => one !== registered)
    this.#newestRemoval = removedAt
  }

  moveBound(registered: RegisteredQuery, bounds: BoundHistory): void {
    this.#table.setBounds(registered.got, bounds)
    registered.bounds = bounds
  }
}

export type QueryRow = {
  got: number
  hash: string
  removedAt: number | null
  name: string
  args: string
  ast: string
  bounds: string
}

const columns = 'got, hash, gone removedAt, name, args, ast, bounds'
const live = 'gone is null'
/** Spelled as in the index, or SQLite does not use the index. */
const removed = 'gone is not null'

/** `z_query`: the live queries of every group, and removed ones until they are pruned. The version `got` identifies a row. */
export class QueryTable {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The group's live queries. */
  all(gid: string): readonly QueryRow[] {
    return this.#sql.all(`select ${columns} from z_query where ${live} and gid = ? order by got`, gid)
  }

  /** The version at which the group's last removed query was removed; 0 without one. */
  newestRemovalOf(gid: string): Version {
    return this.#version(`select max(gone) version from z_query where ${removed} and gid = ?`, gid)
  }

  /** Queries that were live at `since` and have been removed. */
  removedSince(gid: string, since: Version): readonly QueryRow[] {
    return this.#sql.all(
      `select ${columns} from z_query where ${removed} and gid = ? and gone > ? and got <= ? order by got`,
      ...[gid, since, since],
    )
  }

  removedCount(): number {
    return this.#sql.all<{ n: number }>(`select count(*) n from z_query where ${removed}`)[0]?.n ?? 0
  }

  removalBefore(kept: number): Version {
    return this.#version(`select gone version from z_query where ${removed} order by gone desc limit 1 offset ?`, kept)
  }

  insert(gid: string, { got, hash, name, args, ast, bounds }: QueryRow): void {
    this.#sql.run(
      'insert into z_query (got, gid, hash, gone, name, args, ast, bounds) values (?, ?, ?, null, ?, ?, ?, ?)',
      ...[got, gid, hash, name, args, ast, bounds],
    )
  }

  setRemovedAt(got: Version, version: Version): void {
    this.#sql.run('update z_query set gone = ? where got = ?', version, got)
  }

  setBounds(got: Version, bounds: BoundHistory): void {
    this.#sql.run('update z_query set bounds = ? where got = ?', JSON.stringify(bounds), got)
  }

  drop(gid: string): void {
    for (const which of [live, removed]) this.#sql.run(`delete from z_query where ${which} and gid = ?`, gid)
  }

  prune(floor: Version): void {
    this.#sql.run('delete from z_query where gone <= ?', floor)
  }

  clear(): void {
    this.#sql.run('delete from z_query')
  }

  #version(text: string, ...binds: (string | number)[]): Version {
    return this.#sql.all<{ version: Version | null }>(text, ...binds)[0]?.version ?? 0
  }
}

export function createQueryTable(sql: Sql): void {
  const statements = [
    // `gone`: when the query was removed. `got` is the rowid, because wide rows in a table without rowids use overflow pages.
    `create table if not exists z_query (
       got integer primary key, gid text, hash text, gone integer, name text, args text, ast text, bounds text
     )`,
    `create index if not exists z_query_live on z_query (gid) where ${live}`,
    `create index if not exists z_query_gone on z_query (gone) where ${removed}`,
    `create index if not exists z_query_gone_of on z_query (gid, gone) where ${removed}`,
  ]
  for (const statement of statements) sql.run(statement)
}
