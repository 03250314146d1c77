/**
 * The sync engine: rows in, deltas out. Rules: `../SPEC.md`. All state is in SQL; memory is a cache that any exception drops (SPEC E10). A
 * caller whose own transaction rolls back after a call must call `reset`.
 */
import { applyChanges, changesSince, type EngineState, loadRows } from './apply.ts'
import { toKeyValues, toWireRow } from './codec.ts'
import type { Group } from './group.ts'
import { createLog, pruneLog } from './log.ts'
import { createQueryTable } from './query-table.ts'
import { RecentEntries } from './recent.ts'
import { Registry } from './registry.ts'
import { type Indexes, Replica } from './replica.ts'
import { RootReads } from './root-reads.ts'
import { toRowTexts } from './row-ops.ts'
import { createStruct, StructuralColumns } from './structural.ts'
import { type Difference, type SyncContext, syncAll, syncSince } from './sync.ts'
import { type Engine, type Sql, type Tables, UnsupportedQueryError, type Version } from './types.ts'
import { createMeta, Versions } from './versions.ts'
import { defaultHysteresisOf, firstBound, type HysteresisOf } from './window.ts'

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
