/**
 * The sync engine: rows in, deltas out. Rules: `../SPEC.md`. All state is in SQL; memory is a cache that any exception drops (SPEC E10). A
 * caller whose own transaction rolls back after a call must call `reset`.
 */

import type { AST } from '@rocicorp/zero'
import { keyColumns, rowKeyFrom, type StoredRow, toKeyValues, toStoredRow, toWireRow } from './codec.ts'
import { compile } from './compile.ts'
import { bind, type Fragment, frag, query, raw } from './fragment.ts'
import {
  appendLog,
  countLog,
  createLog,
  createStruct,
  type LogEntry,
  mergeEntries,
  pruneLog,
  RecentEntries,
  type RowChange,
  readLog,
  StructuralColumns,
} from './log.ts'
import { tableSql } from './plan.ts'
import { createQueryTable, type Group, Registry } from './queries.ts'
import { type Indexes, Replica, type TableRow } from './replica.ts'
import { type Difference, type SyncContext, syncAll, syncSince, toRowTexts } from './sync.ts'
import {
  type Change,
  type Engine,
  type Sql,
  type SqlValue,
  type Table,
  type Tables,
  UnsupportedQueryError,
  unsupported,
  type Version,
} from './types.ts'
import { createMeta, Versions } from './versions.ts'
import { defaultHysteresisOf, firstBound, type HysteresisOf, orderBySql } from './window.ts'

export type EngineOptions = {
  /** Hysteresis: rows that a window of `limit` may hold beyond its limit before it is cut again. */
  readonly hysteresisOf?: HysteresisOf
  /** Stored bounds per window. */
  readonly boundHistory?: number
  /** Per table the columns of its indexes: correlation columns, and columns that windows filter and order by. */
  readonly indexes?: Indexes
}

/** Chosen: a bound moves once per about `limit / 2` inserts, so 16 bounds cover longer than most clients are offline. */
const DEFAULT_BOUND_HISTORY = 16

export function createEngine(sql: Sql, tables: Tables, options: EngineOptions = {}): Engine {
  const { hysteresisOf = defaultHysteresisOf, boundHistory = DEFAULT_BOUND_HISTORY, indexes = {} } = options
  const replica = new Replica(sql, tables, indexes)
  let memory: (EngineState & { readonly registry: Registry; readonly reads: RootReads }) | null = null

  function loaded() {
    if (memory !== null) return memory
    const versions = new Versions(sql)
    const recent = new RecentEntries(versions.current)
    const [structural, registry, reads] = [new StructuralColumns(sql), new Registry(sql, tables), new RootReads(sql, tables)]
    memory = { sql, tables, replica, versions, recent, structural, registry, reads }
    return memory
  }

  function reset(): void {
    memory = null
  }

  /** One atomic step. Memory may be ahead of storage after a failure. */
  function step<T>(run: () => T extends Promise<unknown> ? never : T): T {
    try {
      return sql.transaction(run)
    } catch (error) {
      if (!(error instanceof UnsupportedQueryError)) reset()
      throw error
    }
  }

  function contextOf({ registry, versions }: ReturnType<typeof loaded>): SyncContext {
    return { sql, registry, version: versions.current, hysteresisOf, boundHistory }
  }

  function differenceOf(groupID: string, since: Version | null): Difference {
    const current = loaded()
    const { registry, versions } = current
    const group = registry.group(groupID)
    if (since !== null && since > versions.current) throw new RangeError(`version ${since} is above ${versions.current}`)
    const changes = since === null || since < versions.floor ? null : changesSince(current, since)
    if (since === null || changes === null) return syncAll(contextOf(current), group, since !== null)
    return syncSince(contextOf(current), group, since, changes)
  }

  function liveQuery(group: Group, hash: string) {
    return group.all().find((registered) => registered.query.hash === hash)
  }

  return {
    reset,

    get version() {
      return loaded().versions.current
    },

    get floor() {
      return loaded().versions.floor
    },

    migrate() {
      return step(() => {
        createMeta(sql)
        createLog(sql)
        createStruct(sql)
        replica.migrate()
        createQueryTable(sql)
      })
    },

    nextVersion() {
      return step(() => {
        const { versions } = loaded()
        const version = versions.take()
        versions.persist()
        return version
      })
    },

    apply(changes, isAbsent) {
      return step(() => applyChanges(loaded(), changes, isAbsent))
    },

    load(rows) {
      step(() => {
        loadRows(loaded(), rows)
        // Drops bounds and recent entries: they do not describe the new rows.
        reset()
      })
    },

    wipe(startVersion) {
      step(() => {
        const { versions, registry } = loaded()
        registry.clear()
        sql.run('delete from z_log')
        sql.run('delete from z_struct')
        // The tables of a new object are up to date.
        if (versions.current > 0) replica.recreate()
        versions.raiseFloor(Math.max(startVersion, versions.current + 1))
        reset()
      })
    },

    addQuery(groupID, query) {
      step(() => {
        const { registry, versions, structural } = loaded()
        const plan = registry.plan(query.ast)
        const group = registry.group(groupID)
        if (liveQuery(group, query.hash) !== undefined) return
        structural.register(plan)
        const got = versions.take()
        registry.add(group, query, got, [[got, firstBound(sql, plan)]])
      })
    },

    removeQuery(groupID, hash) {
      step(() => {
        const { registry, versions } = loaded()
        const group = registry.group(groupID)
        const registered = liveQuery(group, hash)
        if (registered !== undefined) registry.remove(group, registered, versions.take())
      })
    },

    queries(groupID) {
      return loaded()
        .registry.group(groupID)
        .all()
        .map((registered) => registered.query)
    },

    queriesAt(groupID, version) {
      return loaded().registry.queriesAt(groupID, version)
    },

    dropGroup(groupID) {
      step(() => {
        const { registry, versions } = loaded()
        registry.drop(groupID)
        // The group's queries may have had the largest version.
        versions.persist()
      })
    },

    stream(groupID, since) {
      const difference = step(() => differenceOf(groupID, since))
      return { ...difference, rows: toRowTexts(difference.rows) }
    },

    run(ast) {
      const { table, rows } = loaded().reads.run(ast)
      return rows.map((row) => toWireRow(table, row))
    },

    get(name, id) {
      const table = replica.table(name)
      const row = replica.read(table, toKeyValues(table, id))
      return row === null ? undefined : toWireRow(table, row)
    },

    get removedCount() {
      return loaded().registry.removedCount
    },

    removalBefore(kept) {
      return loaded().registry.removalBefore(kept)
    },

    prune(floor) {
      step(() => {
        const { versions, registry } = loaded()
        const raised: Version = Math.min(floor, versions.current)
        if (raised <= versions.floor) return
        versions.raiseFloor(raised)
        pruneLog(sql, raised)
        registry.prune(raised)
      })
    },
  }
}

/** Writes rows with or without a log, and reads back what changed. */

type EngineState = {
  readonly sql: Sql
  readonly tables: Tables
  readonly replica: Replica
  readonly versions: Versions
  readonly recent: RecentEntries
  readonly structural: StructuralColumns
}

/** Chosen: what one delta may hold in memory, of the 128 MB that the objects of an isolate share. */
const MAX_ENTRIES = 10_000
const MAX_CHARS = 8 * 1024 * 1024

/** Returns the changes that differed from the stored rows. Rows of `isAbsent` are not read, and are written together at the end. */
function applyChanges(memory: EngineState, changes: readonly Change[], isAbsent?: (change: Change) => boolean): readonly Change[] {
  const entries: LogEntry[] = []
  const added: TableRow[] = []
  const real = changes.filter((change) => applyChange(memory, change, entries, isAbsent?.(change) ? added : null))
  memory.replica.putAll(added)
  appendLog(memory.sql, entries)
  return real
}

/** The rows are not logged, so no delta from an earlier version is possible. */
function loadRows({ sql, replica, versions }: EngineState, rows: Iterable<Change>): void {
  let added: TableRow[] = []
  for (const change of rows) {
    const { table, key, row } = storedChange(replica, change)
    if (row !== null) added.push({ table, row })
    else {
      replica.putAll(added)
      added = []
      replica.remove(table, key)
    }
  }
  replica.putAll(added)
  versions.raiseFloor(versions.take())
  pruneLog(sql, versions.floor)
}

/** Null above the memory limit. The client then receives all rows, which are read row by row. */
function changesSince({ sql, tables, replica, recent, versions }: EngineState, since: Version): readonly RowChange[] | null {
  const cached = recent.changesSince(since, tables)
  if (cached !== null) return cached
  if (versions.current - since > MAX_ENTRIES && countLog(sql, since) > MAX_ENTRIES) return null
  const read = (table: Table, key: string) => ({ row: replica.read(table, Object.values(keyColumns(table, key))), written: null })
  const changes: RowChange[] = []
  let chars = 0
  for (const change of mergeEntries(readLog(sql, since), tables, read)) {
    changes.push(change)
    chars += charsIn(change.row)
    if (chars > MAX_CHARS) return null
  }
  return changes
}

function charsIn(row: StoredRow | null): number {
  let chars = 0
  for (const value of Object.values(row ?? {})) if (typeof value === 'string') chars += value.length
  return chars
}

/** `added`: null if the row may be in the replica; otherwise it is not, and the new row is added to them. */
function applyChange(memory: EngineState, change: Change, entries: LogEntry[], added: TableRow[] | null): boolean {
  const { replica, versions, recent, structural } = memory
  const { table, key, row } = storedChange(replica, change)
  const before = added === null ? replica.read(table, key) : null
  const written = before === null || row === null ? [] : Object.keys(row).filter((column) => before[column] !== row[column])
  if (before === row || (before !== null && row !== null && written.length === 0)) return false
  const since = versions.current
  const entry: LogEntry = {
    version: versions.take(),
    table: table.name,
    key: rowKeyFrom(key),
    op: before === null ? 'insert' : row === null ? 'delete' : 'update',
    old: before === null ? null : structural.imageBefore(table.name, before, row === null ? 'all' : written),
  }
  if (row === null) replica.remove(table, key)
  else if (before !== null) replica.update(table, key, row, written)
  else if (added === null) replica.put(table, row)
  else added.push({ table, row })
  entries.push(entry)
  recent.append(since, entry, row, written)
  return true
}

/** The id determines the key, not the row. */
function storedChange(
  replica: Replica,
  { table: name, id, row }: Change,
): { table: Table; key: readonly SqlValue[]; row: StoredRow | null } {
  const table = replica.table(name)
  return { table, key: toKeyValues(table, id), row: row === null ? null : toStoredRow(table, { ...row, ...id }) }
}

type Read = { readonly table: Table; readonly statement: Fragment }

/** Chosen: queries by id are many and short-lived, the others are few. Every awake object holds this cache. */
const MAX_READS = 50

/** The root rows of a query, for mutators, which run the same queries at every push. */
class RootReads {
  readonly #sql: Sql
  readonly #tables: Tables
  /** By AST: compiling costs more than running. Without this cache renaming a thread costs 19 % more CPU. */
  readonly #reads = new Map<string, Read>()

  constructor(sql: Sql, tables: Tables) {
    this.#sql = sql
    this.#tables = tables
  }

  run(ast: AST): { readonly table: Table; readonly rows: readonly StoredRow[] } {
    const { table, statement } = this.#read(ast)
    return { table, rows: query(this.#sql, statement) }
  }

  #read(ast: AST): Read {
    const text = JSON.stringify(ast)
    const cached = this.#reads.get(text)
    if (cached !== undefined) return cached
    const read = this.#compiled(ast)
    if (this.#reads.size >= MAX_READS) this.#reads.clear()
    this.#reads.set(text, read)
    return read
  }

  #compiled(ast: AST): Read {
    const { root, order } = compile(ast, this.#tables)
    if (root.children.some((child) => child.kind === 'related')) return unsupported('related() outside a condition', 'related')
    const first = ast.limit === undefined ? raw('') : frag` limit ${bind(ast.limit)}`
    const sorted = orderBySql(order, root.alias)
    return { table: root.table, statement: frag`select * from ${tableSql(root)} where ${root.local} order by ${sorted}${first}` }
  }
}
