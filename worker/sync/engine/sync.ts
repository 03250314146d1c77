/**
 * The difference between a client group at one version and the replica now, from the log, the edges and the queries' versions
 * alone: nothing is kept per row or per client. The only thing written is an edge that moved; rows are read when they are told.
 */
import type { RowChange } from './changes.ts'
import type { StoredRow } from './codec.ts'
import { appendEdge, edgeAt, edgeNow } from './edges.ts'
import type { Judges } from './judge.ts'
import { QueryStep, type StepState } from './query-step.ts'
import { type Group, isAlive, type RegisteredQuery, type Registry } from './registry.ts'
import { RowOps, type StoredOp } from './row-ops.ts'
import type { Delta, Sql, Table, Version } from './types.ts'
import { mayMove, measureEdge, type SlackOf } from './window.ts'

export type SyncContext = {
  readonly sql: Sql
  readonly registry: Registry
  readonly version: Version
  readonly judges: Judges
  readonly slackOf: SlackOf
  readonly edgeHistory: number
}

export type Difference = Omit<Delta, 'rows'> & { readonly rows: Iterable<StoredOp> }

/** Everything, for a client that holds nothing or must forget what it holds. */
export function syncAll(context: SyncContext, group: Group, clear: boolean): Difference {
  moveEdges(context, group, null)
  const ops = new RowOps(context.sql)
  for (const registered of group.queries) stepOf(context, registered, null, ops, []).hydrate()
  group.syncedAt = context.version
  return { version: context.version, rows: ops.finish([], () => true), got: group.queries.map(hashOf), gone: [], clear }
}

/** `changes` are those above `since`. */
export function syncSince(context: SyncContext, group: Group, since: Version, changes: readonly RowChange[]): Difference {
  moveEdges(context, group, group.syncedAt === since ? { since, changes } : null)
  const ops = new RowOps(context.sql)
  const gone = context.registry.goneSince(group, since)
  const held = [...gone, ...group.queries.filter(({ got }) => got <= since)]
  const changed = new Set(changes.map(({ table }) => table.name))
  const steps = [...gone, ...group.queries].map((registered) =>
    isUntouched(registered, since, changed) ? idleStep(context, registered, ops) : stepFor(context, registered, since, ops, changes),
  )
  const isMember = (table: Table, row: StoredRow) => steps.some((step) => step.isMember(table, row))
  group.syncedAt = context.version
  return { version: context.version, rows: ops.finish(changes, isMember), ...hashes(group, held), clear: false }
}

/** The step that answers membership afterwards, run on the way. */
function stepFor(context: SyncContext, registered: RegisteredQuery, since: Version, ops: RowOps, changes: readonly RowChange[]): QueryStep {
  const isHeld = registered.got <= since
  const then = edgeAt(registered.edges, since)
  const step = stepOf(context, registered, then, ops, changes)
  if (isHeld) step.run()
  // With its edge forgotten the client may hold anything the query ever covered, or lack it.
  if (isAlive(registered) && (!isHeld || then === 'forgotten')) step.hydrate()
  return step
}

/**
 * A query for which nothing has happened: a group may have hundreds that are kept for a while, and a change concerns few. One that is new
 * has no edge of then.
 */
function isUntouched({ scope, edges, gone }: RegisteredQuery, since: Version, changed: ReadonlySet<string>): boolean {
  if (gone !== null || edgeAt(edges, since) !== edgeNow(edges)) return false
  for (const name of changed) if (scope.tables.has(name)) return false
  return true
}

/** It may still hold what another query lets go. */
function idleStep(context: SyncContext, registered: RegisteredQuery, ops: RowOps): Pick<QueryStep, 'isMember'> {
  let step: QueryStep | undefined
  const edge = edgeNow(registered.edges)
  return {
    isMember: (table, row) => {
      if (!registered.scope.tables.has(table.name)) return false
      step ??= stepOf(context, registered, edge, ops, [])
      return step.isMember(table, row)
    },
  }
}

function stepOf(context: SyncContext, registered: RegisteredQuery, then: StepState['then'], ops: RowOps, changes: readonly RowChange[]) {
  const now = edgeNow(registered.edges)
  const judge = context.judges.of(registered.plan, now, context.version)
  return new QueryStep(context.sql, registered.plan, judge, ops, changes, { alive: isAlive(registered), then, now })
}

/**
 * Measures the windows that may have moved. `continuation` says what happened since the group's last sync, `null` when that is
 * not known: then every window is measured (SPEC E7). A query added meanwhile was measured in between, so for it net changes
 * since the last sync prove nothing.
 */
function moveEdges(context: SyncContext, group: Group, continuation: { since: Version; changes: readonly RowChange[] } | null): void {
  const { sql, registry, version, slackOf, edgeHistory } = context
  for (const registered of group.queries) {
    if (!registered.scope.hasWindow) continue
    const { plan, edges, got } = registered
    const edge = edgeNow(edges)
    const isKnown = continuation !== null && got <= continuation.since
    if (isKnown && !mayMove(sql, plan, edge, continuation.changes)) continue
    const measured = measureEdge(sql, plan, edge, slackOf)
    if (measured !== edge) registry.moveEdge(group, registered, appendEdge(edges, [version, measured], edgeHistory))
  }
}

/** A hash removed and added again between the two versions was complete before and is complete now. */
function hashes(group: Group, held: readonly RegisteredQuery[]): Pick<Delta, 'got' | 'gone'> {
  // Of as many held as there are now, none is gone and none new.
  if (held.length === group.queries.length && held.every(isAlive)) return { got: [], gone: [] }
  const before = new Set(held.map(hashOf))
  const now = new Set(group.queries.map(hashOf))
  return { got: [...now].filter((hash) => !before.has(hash)), gone: [...before].filter((hash) => !now.has(hash)) }
}

function hashOf(registered: RegisteredQuery): string {
  return registered.query.hash
}
