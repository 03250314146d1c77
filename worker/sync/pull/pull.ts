/**
 * Steps 4 and 5 of a mutation: one commit to the source, which also reads the feed, and the application of its result to the replica.
 * Without writes it is a plain pull. `applyPull` runs in the storage transaction that also stores what the commit came with.
 */
import { yieldToEventLoop } from '../../lib/pace.ts'
import type { Change, Version } from '../engine/types.ts'
import type { UserState } from '../state/user-state.ts'
import { beginImport, finishImport, resetReplica } from './import.ts'
import type { CommitRequest, CommitResult, GroupProgress, ScopeChange, Source, Watermark } from './source.ts'

/** Chosen: what one pull may hold in memory. Further behind, the rows are imported again; the engine has the same bounds (E9). */
const maxPages = 50
const maxChars = 8 * 1024 * 1024

/** All rows of a scope that the user may see; none after its removal. */
type ScopeRows = { readonly scope: string; readonly rows: readonly Change[] }

export type Pull = Pick<CommitResult, 'watermark' | 'progress' | 'removedClients' | 'isSignedIn'> & {
  /** The source is an earlier one; the replica was deleted, and clients have to connect again. */
  readonly isRestored: boolean
  /** Rows of the feed and of scopes, in the order in which they were read. */
  readonly reads: readonly (readonly Change[] | ScopeRows)[]
}

export type CommitPart = Omit<CommitRequest, 'watermark' | 'nowMs' | 'heldScopes'>

/**
 * Commits and reads the feed to its end. The first page of the feed is read in the round trip of the commit. After the rows of a scope, the feed
 * is read again: no row may be newer than the watermark, which shows whether the source was restored (F4).
 */
export async function commitAndPull(state: UserState, source: Source, part: CommitPart): Promise<Pull> {
  const nowMs = Date.now()
  const watermark = await currentWatermark(state, source)
  const held = heldScopes(state, source)
  const first = await source.commit({ ...part, watermark, nowMs, heldScopes: held })
  const { progress, removedClients, isSignedIn } = first
  const reads: (readonly Change[] | ScopeRows)[] = [first.changes]
  let { scopeChanges } = first
  let last = first
  let pages = 1
  let { chars } = first
  const isTooFar = () => !last.isComplete && (pages >= maxPages || chars > maxChars)
  while (!last.break && !isTooFar() && !(last.isComplete && scopeChanges.length === 0)) {
    if (last.isComplete) {
      reads.push(...(await readScopes(source, scopeChanges)))
      scopeChanges = []
    }
    await yieldToEventLoop()
    last = await source.commit({ watermark: last.watermark, nowMs, heldScopes: held })
    reads.push(last.changes)
    scopeChanges = [...scopeChanges, ...last.scopeChanges]
    pages += 1
    chars += last.chars
  }
  const isRestored = last.break === 'restored'
  const answer = { isRestored, progress, removedClients, isSignedIn }
  if (!last.break && !isTooFar()) return { ...answer, reads, watermark: last.watermark }
  if (isRestored) resetReplica(state)
  return { ...answer, reads: [], watermark: await beginImport(state, source) }
}

/** Returns the changes that differed from the replica. Call inside a storage transaction. */
export function applyPull(state: UserState, source: Source, { reads, watermark }: Pull): readonly Change[] {
  const real = reads.flatMap((read) =>
    'scope' in read ? replaceScope(state, source, read) : state.engine.apply(withChildren(state, source, read)),
  )
  state.meta.watermark = watermark
  return real
}

/** Progress and results of one group, as the source has them. Call inside a storage transaction. */
export function applyProgress(state: UserState, groupID: string, progress: GroupProgress, version: Version): void {
  for (const { clientID, lastMutationID } of progress.clients) state.clients.advance(groupID, clientID, lastMutationID, version)
  for (const { clientID, mutationID, error } of progress.results) state.results.put(groupID, clientID, mutationID, error, version)
}

/** After a deploy with other tables, the import finishes before any answer. */
async function currentWatermark(state: UserState, source: Source): Promise<Watermark> {
  const { watermark, importing } = state.meta
  if (watermark !== null && !hasOtherTables(state)) return watermark
  const hasBegun = watermark !== null && importing.cursors.length > 0 && importing.shape === state.shape
  const begun = hasBegun ? watermark : await beginImport(state, source)
  if (watermark !== null) await finishImport(state, source)
  return begun
}

/** True if the rows were imported for the tables of another deploy. */
export const hasOtherTables = ({ meta, shape }: UserState): boolean => meta.watermark !== null && meta.shape !== shape

/**
 * Adds the deletions of the replica's child rows to the deletions of their parents. The feed does not list child rows, so a large group costs one
 * feed row.
 */
const withChildren = ({ sql }: UserState, { childTables = [] }: Source, changes: readonly Change[]): readonly Change[] =>
  changes.flatMap((change) => [
    ...childTables
      .filter(({ parent }) => change.row === null && parent === change.table)
      .flatMap(({ table, key }) =>
        sql
          .all<{ id: string }>(`select id from "${table}" where "${key}" = ?`, String(change.id.id))
          .map(({ id }) => ({ table, id: { id }, row: null })),
      ),
    change,
  ])

/** Scopes of which the replica has rows. */
const heldScopes = ({ sql }: UserState, { scopes }: Source): readonly string[] =>
  scopes ? sql.all<{ id: string }>(scopes.heldSql).map(({ id }) => id) : []

/** The rows of the scopes that changed. They are read after the feed, so they are at least as new. The last change of a scope counts. */
async function readScopes({ scopes }: Source, scopeChanges: readonly ScopeChange[]): Promise<readonly ScopeRows[]> {
  if (!scopes) return []
  const last = new Map(scopeChanges.map(({ scope, isAdded }) => [scope, isAdded]))
  return Promise.all([...last].map(async ([scope, isAdded]) => ({ scope, rows: isAdded ? await scopes.read(scope) : [] })))
}

/** Adds and updates the rows, and deletes the other rows of the scope. Returns the changes that were real. */
function replaceScope({ engine, sql }: UserState, { scopes }: Source, { scope, rows }: ScopeRows): readonly Change[] {
  const present = new Set(rows.map(({ table, id }) => `${table} ${id.id}`))
  const removed = (scopes?.rowsOf ?? []).flatMap(([table, condition]) =>
    sql
      .all<{ id: string }>(`select id from "${table}" where ${condition}`, scope)
      .filter(({ id }) => !present.has(`${table} ${id}`))
      .map(({ id }) => ({ table, id: { id }, row: null })),
  )
  return engine.apply([...removed, ...rows])
}
