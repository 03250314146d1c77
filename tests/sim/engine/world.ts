/**
 * One simulated history: the true rows, one engine, and two groups with three clients. Events disturb clients, the object and the storage.
 * After every sync the client is compared with the true rows.
 */

import type { AST } from '@rocicorp/zero'
import type { createEngine } from '../../../worker/sync/engine/engine.ts'
import type { Change, Engine, GroupQuery, RowID } from '../../../worker/sync/engine/types.ts'
import { deltaOf } from '../../support/delta-of.ts'
import { rowID } from '../../support/naive-evaluator.ts'
import type { NodeSql } from '../../support/node-sql.ts'
import { createRng, type Rng } from '../../support/rng.ts'
import { checkClient, createTruth, type Oracle } from './checks.ts'
import { drawID, drawRow, indexes, tables, writtenTables } from './domain.ts'
import { applyDelta, type ModelClient, type RowStore, restore, type Snapshot, setRow, snapshotOf } from './model-client.ts'
import { drawQuery, type Shapes, shapes } from './shapes.ts'

export type World = {
  /** The events as text, made on demand because most histories pass. */
  readonly trace: readonly (() => string)[]
  /** One random event, then syncs and checks. Throws at the first violated rule. */
  step(): void
  readonly counts: { syncs: number; changes: number }
}

type Definition = { readonly hash: string; readonly ast: AST }

/** Few definitions per group, so that removed hashes are added again. */
const DEFINITIONS_PER_GROUP = 6
const MAX_LIVE_QUERIES = 4
const MAX_SNAPSHOTS = 4

/** `sql` is emptied first. */
export function createWorld(seed: number, sql: NodeSql, create: typeof createEngine, oracle: Oracle | null, forms: Shapes = shapes): World {
  const rng = createRng(seed)
  sql.clear()
  const hysteresisOf = rng.pick([() => 0, () => 1, undefined])
  const options = { ...(hysteresisOf === undefined ? {} : { hysteresisOf }), boundHistory: rng.pick([2, 16]), indexes }
  let engine: Engine = create(sql, tables, options)
  engine.migrate()
  const store: RowStore = new Map()
  const truth = createTruth(store, hysteresisOf ?? ((limit) => Math.max(5, Math.floor(limit / 2))))
  // The live queries are tracked here: asking the engine would load what it has not loaded yet.
  const groups = ['g1', 'g2'].map((id) => ({ id, definitions: drawDefinitions(rng, id, forms), live: [] as GroupQuery[] }))
  const clients = [newClient('g1', 'a'), newClient('g1', 'b'), newClient('g2', 'c')]
  const snapshots: Snapshot[][] = clients.map(() => [])
  const trace: (() => string)[] = []
  const counts = { syncs: 0, changes: 0 }

  load(Array.from({ length: 30 }, () => drawChange(0.1)))

  function step(): void {
    const event = rng.next()
    if (event < 0.5) change(1 + rng.below(3))
    else if (event < 0.55) change(8 + rng.below(12))
    else if (event < 0.67) addQuery()
    else if (event < 0.74) removeQuery()
    else disturb(event)
    // Connected clients mostly sync at once and sometimes fall behind. Any client can sync at any time.
    for (const client of clients) if (rng.chance(event < 0.74 && client.isOnline ? 0.6 : 0.1)) syncClient(client)
  }

  function disturb(event: number): void {
    if (event < 0.79) snapshot()
    else if (event < 0.84) restoreSnapshot()
    else if (event < 0.89) evict()
    else if (event < 0.91) prune()
    else if (event < 0.915) rebuild()
    else if (event < 0.93) takeVersion()
    else toggle()
  }

  function syncClient(client: ModelClient): void {
    counts.syncs += 1
    const since = client.cookie
    const delta = deltaOf(engine, client.groupID, since)
    if (delta.clear !== (since !== null && since < engine.floor)) throw new Error(`[E9] clear is ${delta.clear} at ${since}`)
    note(() => `sync ${client.name} ${since} -> ${delta.version} (${delta.rows.length} ops)`)
    applyDelta(tables, client, delta)
    const queries = groups.find(({ id }) => id === client.groupID)?.live ?? []
    checkClient({ client, queries, truth, sql, oracle })
  }

  function change(count: number): void {
    const changes = Array.from({ length: count }, () => drawChange(0.2))
    note(() => `apply ${JSON.stringify(changes)}`)
    const expected = changes.filter(perform)
    const real = sql.transaction(() => engine.apply(changes))
    counts.changes += real.length
    if (JSON.stringify(real) !== JSON.stringify(expected))
      throw new Error(`apply called ${real.length} changes real, ${expected.length} were`)
  }

  function drawChange(deletes: number): Change {
    const table = rng.pick(writtenTables)
    const id: RowID = drawID(rng, table)
    const before = store.get(table)?.get(rowID(tables, table, id))?.row
    return { table, id, row: rng.chance(deletes) ? null : drawRow(rng, table, before, id) }
  }

  /** Applies a change to the true rows. True if it made a difference. */
  function perform({ table, id, row }: Change): boolean {
    const key = rowID(tables, table, id)
    const before = store.get(table)?.get(key)?.text
    if (row === null) store.get(table)?.delete(key)
    else setRow(store, table, key, inTableOrder(table, row))
    const changed = before !== store.get(table)?.get(key)?.text
    if (changed) truth.forget()
    return changed
  }

  function load(changes: readonly Change[]): void {
    for (const one of changes) perform(one)
    sql.transaction(() => engine.load(changes))
  }

  function addQuery(): void {
    const group = rng.pick(groups)
    if (group.live.length >= MAX_LIVE_QUERIES) return
    const { hash, ast } = rng.pick(group.definitions)
    note(() => `add ${group.id} ${hash} ${JSON.stringify(ast)}`)
    const query = { hash, name: hash, args: [], ast }
    engine.addQuery(group.id, query)
    if (group.live.every((other) => other.hash !== hash)) group.live.push(query)
  }

  function removeQuery(): void {
    const group = rng.pick(groups)
    const query = group.live.shift()
    if (query === undefined) return
    note(() => `remove ${group.id} ${query.hash}`)
    engine.removeQuery(group.id, query.hash)
  }

  function snapshot(): void {
    const which = rng.below(clients.length)
    const [client, taken] = [clients[which], snapshots[which]]
    if (client === undefined || taken === undefined) return
    taken.push(snapshotOf(client))
    if (taken.length > MAX_SNAPSHOTS) taken.splice(rng.below(taken.length), 1)
  }

  function restoreSnapshot(): void {
    const which = rng.below(clients.length)
    const [client, taken] = [clients[which], snapshots[which]]
    if (client === undefined || taken === undefined || taken.length === 0) return
    restore(client, rng.pick(taken))
    const { cookie } = client
    note(() => `restore ${client.name} at ${cookie}`)
  }

  function evict(): void {
    note(() => 'evict')
    const version = engine.version
    if (rng.chance(0.5)) engine.reset()
    else {
      engine = create(sql, tables, options)
      engine.migrate()
    }
    if (engine.version !== version) throw new Error(`[E8] the version was ${version} and is ${engine.version} after an eviction`)
  }

  function prune(): void {
    const floor = engine.floor + rng.below(engine.version - engine.floor + 1)
    note(() => `prune ${floor}`)
    engine.prune(floor)
  }

  function rebuild(): void {
    note(() => 'rebuild')
    for (const { id, live } of groups) {
      const known = engine.queries(id).map(({ hash }) => hash)
      if (known.join() !== live.map(({ hash }) => hash).join()) throw new Error(`[E15] ${known} are alive for the engine`)
    }
    const before = engine.version
    engine.wipe(rng.below(before + 10))
    if (engine.version <= before) throw new Error('[E9] a rebuilt replica accepts old cookies')
    const rows = [...store].flatMap(([table, entries]) => Array.from(entries.values(), ({ row }) => ({ table, id: idOf(table, row), row })))
    load(rows)
    for (const { id, live } of groups) for (const query of live) engine.addQuery(id, query)
  }

  function takeVersion(): void {
    const version = engine.nextVersion()
    note(() => `version ${version}`)
  }

  function toggle(): void {
    const client = rng.pick(clients)
    client.isOnline = !client.isOnline
  }

  function note(event: () => string): void {
    trace.push(event)
  }

  return { trace, step, counts }
}

function newClient(groupID: string, name: string): ModelClient {
  return { groupID, name, cookie: null, rows: new Map(), got: new Set(), isOnline: true }
}

function drawDefinitions(rng: Rng, groupID: string, forms: Shapes): readonly Definition[] {
  return Array.from({ length: DEFINITIONS_PER_GROUP }, (_, i) => {
    const { name, ast } = drawQuery(rng, forms)
    return { hash: `${groupID}-${i}-${name}`, ast }
  })
}

/** In wire form: every column, in the table's order. */
function inTableOrder(table: string, row: Change['row'] & object): Change['row'] & object {
  return Object.fromEntries(Object.keys(tables[table]?.columns ?? {}).map((column) => [column, row[column] ?? null]))
}

function idOf(table: string, row: Change['row'] & object): RowID {
  // Primary keys of the domain are strings and numbers.
  return Object.fromEntries((tables[table]?.primaryKey ?? []).map((column) => [column, row[column] as string | number]))
}
