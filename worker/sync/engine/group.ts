/** The live queries of one client group, read from `z_query` when first needed. */

import { type BoundHistory, movedAt } from './bounds.ts'
import type { RowChange } from './changes.ts'
import type { Plan } from './plan.ts'
import type { QueryRow, QueryTable } from './query-table.ts'
import type { GroupQuery, Version } from './types.ts'

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
