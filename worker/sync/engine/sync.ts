/**
 * The difference between a client group at one version and the replica now, from the log, the edges and the queries' versions
 * alone: nothing is kept per row or per client. The only thing written is an edge that moved; rows are read when they are told.
 */
import type { RowChange } from './changes.ts'
import type { StoredRow } from './codec.ts'
import { appendEdge, edgeAt, edgeNow, movedAt } from './edges.ts'
import type { Group, RegisteredQuery } from './group.ts'
import type { Judges } from './judge.ts'
import { QueryStep, type StepState } from './query-step.ts'
import { isAlive, type Registry } from './registry.ts'
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
  const queries = group.all()
  moveEdges(context, group, queries, null)
  const ops = new RowOps(context.sql)
  for (const registered of queries) stepOf(context, registered, null, ops, []).hydrate()
  return { version: context.version, rows: ops.finish([], () => true), got: queries.map(hashOf), gone: [], clear }
}

/** `changes` are those above `since`. */
export function syncSince(context: SyncContext, group: Group, since: Version, changes: readonly RowChange[]): Difference {
  const concerned = group.concernedBy(since, changes)
  moveEdges(context, group, concerned, { since, changes })
  const ops = new RowOps(context.sql)
  const gone = context.registry.goneSince(group, since)
  const steps = new Map([...gone, ...concerned].map((registered) => [registered, stepFor(context, registered, since, ops, changes)]))
  /** Others may still hold what one query lets go. */
  const isMember = (table: Table, row: StoredRow) =>
    group.coveringPerhaps(table, row).some((registered) => {
      const step = steps.get(registered) ?? stepOf(context, registered, edgeNow(registered.edges), ops, [])
      steps.set(registered, step)
      return step.isMember(table, row)
    })
  const fresh = concerned.filter(({ got }) => got > since)
  return { version: context.version, rows: ops.finish(changes, isMember), ...hashes(fresh, gone), clear: false }
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

function stepOf(context: SyncContext, registered: RegisteredQuery, then: StepState['then'], ops: RowOps, changes: readonly RowChange[]) {
  const now = edgeNow(registered.edges)
  const judge = context.judges.of(registered.plan, now, context.version)
  return new QueryStep(context.sql, registered.plan, judge, ops, changes, { alive: isAlive(registered), then, now })
}

/**
 * Measures the windows that may have moved. `told` says what happened since the group was last told of everything, `null` when that is not
 * known: then every window is measured (SPEC E7). One whose edge moved or that came meanwhile was measured in between, so for it net changes
 * prove nothing.
 */
function moveEdges(
  context: SyncContext,
  group: Group,
  queries: readonly RegisteredQuery[],
  told: { since: Version; changes: readonly RowChange[] } | null,
): void {
  const { sql, version, slackOf, edgeHistory } = context
  for (const registered of queries) {
    if (!registered.scope.hasWindow) continue
    const { plan, edges } = registered
    const edge = edgeNow(edges)
    const isMeasured = told !== null && movedAt(edges) <= told.since
    if (isMeasured && !mayMove(sql, plan, edge, told.changes)) continue
    const measured = measureEdge(sql, plan, edge, slackOf)
    if (measured !== edge) group.moveEdge(registered, appendEdge(edges, [version, measured], edgeHistory))
  }
}

/** A hash removed and added again between the two versions was complete before and is complete now. */
function hashes(fresh: readonly RegisteredQuery[], gone: readonly RegisteredQuery[]): Pick<Delta, 'got' | 'gone'> {
  const [came, went] = [new Set(fresh.map(hashOf)), new Set(gone.map(hashOf))]
  return { got: [...came].filter((hash) => !went.has(hash)), gone: [...went].filter((hash) => !came.has(hash)) }
}

function hashOf(registered: RegisteredQuery): string {
  return registered.query.hash
}
