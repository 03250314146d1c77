/**
 * The delta from a client group's version to now, from the log, the bounds and the versions of queries only: no state per row or client.
 * The only write is a bound that moved. Rows are read while they are sent.
 */

import { appendBound, boundAt, currentBound, movedAt } from './bounds.ts'
import type { RowChange } from './changes.ts'
import type { StoredRow } from './codec.ts'
import type { Group, RegisteredQuery } from './group.ts'
import { MembershipTest } from './membership.ts'
import { compareKeys, type WindowBound } from './order.ts'
import { QueryStep, type StepState } from './query-step.ts'
import { isLive, type Registry } from './registry.ts'
import { RowOps, type StoredOp } from './row-ops.ts'
import type { Delta, Sql, Table, Version } from './types.ts'
import { type HysteresisOf, mayMove, measureBound } from './window.ts'

export type SyncContext = {
  readonly sql: Sql
  readonly registry: Registry
  readonly version: Version
  readonly hysteresisOf: HysteresisOf
  readonly boundHistory: number
}

export type Difference = Omit<Delta, 'rows'> & { readonly rows: Iterable<StoredOp> }

/** All rows, for a client that holds nothing or is cleared. */
export function syncAll(context: SyncContext, group: Group, clear: boolean): Difference {
  const queries = group.all()
  moveBounds(context, group, queries, null)
  const ops = new RowOps(context.sql)
  for (const registered of queries) stepOf(context, registered, null, ops, []).hydrate()
  return { version: context.version, rows: ops.finish([], () => true), got: queries.map(hashOf), removed: [], clear }
}

/** `changes`: those above `since`. */
export function syncSince(context: SyncContext, group: Group, since: Version, changes: readonly RowChange[]): Difference {
  const affected = group.affectedBy(since, changes)
  moveBounds(context, group, affected, { since, changes })
  const ops = new RowOps(context.sql)
  const removed = context.registry.removedSince(group, since)
  const steps = new Map(
    [...removed, ...affected].map((registered) => [registered, stepFor(context, group, registered, since, ops, changes)]),
  )
  /** A row that left one query may still be covered by another. */
  const isMember = (table: Table, row: StoredRow) =>
    group.readersOf(table.name).some((registered) => {
      const step = steps.get(registered) ?? stepOf(context, registered, currentBound(registered.bounds), ops, [])
      steps.set(registered, step)
      return step.isMember(table, row)
    })
  const fresh = affected.filter(({ got }) => got > since)
  return { version: context.version, rows: ops.finish(changes, isMember), ...hashes(fresh, removed), clear: false }
}

/** Runs the step; membership tests use it afterwards. */
function stepFor(
  context: SyncContext,
  group: Group,
  registered: RegisteredQuery,
  since: Version,
  ops: RowOps,
  changes: readonly RowChange[],
): QueryStep {
  const isHeld = registered.got <= since
  const then = boundAt(registered.bounds, since)
  const step = stepOf(context, registered, then, ops, changes)
  if (isHeld) step.run()
  if (!isLive(registered) || (isHeld && then !== 'unknown')) return step
  // If its bound is not stored, the client may hold or lack any row of the query.
  const held = isHeld ? undefined : heldBound(group, registered, since)
  if (held === undefined) step.hydrate()
  else step.hydrateBeyond(held)
  return step
}

/**
 * The bound up to which the client has the rows of an added query after this delta, from other windows of the same rows (SPEC E21). Undefined
 * without such a window.
 */
function heldBound(group: Group, added: RegisteredQuery, since: Version): WindowBound | undefined {
  const held = group.all().filter(({ got, unlimitedAst }) => got <= since && unlimitedAst === added.unlimitedAst)
  const bounds = held.map((registered) => currentBound(registered.bounds))
  return bounds.reduce<WindowBound | undefined>((most, bound) => {
    if (most === undefined || bound === null) return bound
    return most === null || compareKeys(added.plan.order, most, bound) >= 0 ? most : bound
  }, undefined)
}

function stepOf(context: SyncContext, registered: RegisteredQuery, then: StepState['then'], ops: RowOps, changes: readonly RowChange[]) {
  const now = currentBound(registered.bounds)
  const membership = new MembershipTest(context.sql, registered.plan, now)
  return new QueryStep(context.sql, registered.plan, membership, ops, changes, { isLive: isLive(registered), then, now })
}

/**
 * Measures the windows that may have moved. `synced` has the changes since the group's last sync, `null` when they are not known: then
 * every window is measured (SPEC E7). A window that was added or moved since was measured in between, so net changes are not sufficient for
 * it.
 */
function moveBounds(
  context: SyncContext,
  group: Group,
  queries: readonly RegisteredQuery[],
  synced: { since: Version; changes: readonly RowChange[] } | null,
): void {
  const { sql, version, hysteresisOf, boundHistory } = context
  for (const registered of queries) {
    const { plan, bounds } = registered
    if (plan.window === null) continue
    const bound = currentBound(bounds)
    const isMeasured = synced !== null && movedAt(bounds) <= synced.since
    if (isMeasured && !mayMove(sql, plan, bound, synced.changes)) continue
    const measured = measureBound(sql, plan, bound, hysteresisOf)
    if (measured !== bound) group.moveBound(registered, appendBound(bounds, [version, measured], boundHistory))
  }
}

/** A hash that was removed and added again was complete before and is complete now. */
function hashes(fresh: readonly RegisteredQuery[], removed: readonly RegisteredQuery[]): Pick<Delta, 'got' | 'removed'> {
  const [came, went] = [new Set(fresh.map(hashOf)), new Set(removed.map(hashOf))]
  return { got: [...came].filter((hash) => !went.has(hash)), removed: [...went].filter((hash) => !came.has(hash)) }
}

function hashOf(registered: RegisteredQuery): string {
  return registered.query.hash
}
