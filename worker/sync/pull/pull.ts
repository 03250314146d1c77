/**
 * Steps 4 and 5 of a mutation: one commit to the source, which also reads the feed, and the application of its result to the replica.
 * Without writes it is a plain pull. `applyPull` runs in the storage transaction that also stores what the commit came with.
 */
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import type { Change, Version } from '../engine/types.ts'
import type { UserState } from '../state/user-state.ts'
import { withChildren } from './children.ts'
import { beginImport, finishImport, resetReplica } from './import.ts'
import { heldScopes, readScopes, replaceScope, type ScopeRows } from './scopes.ts'
import type { CommitRequest, CommitResult, GroupProgress, Source, Watermark } from './source.ts'

/** Chosen: what one pull may hold in memory. Further behind, the rows are imported again; the engine has the same bounds (E9). */
const maxPages = 50
const maxChars = 8 * 1024 * 1024

export type Pull = Pick<CommitResult, 'changes' | 'watermark' | 'progress' | 'removedClients' | 'isSignedIn'> & {
  /** The source is an earlier one; the replica was deleted, and clients have to connect again. */
  readonly isRestored: boolean
  /** Applied after `changes`. */
  readonly scopes: readonly ScopeRows[]
}

export type CommitPart = Omit<CommitRequest, 'watermark' | 'nowMs' | 'heldScopes'>

/** Commits and reads the feed to its end. The first page of the feed is read in the round trip of the commit. */
export async function commitAndPull(state: UserState, source: Source, part: CommitPart): Promise<Pull> {
  const nowMs = Date.now()
  const watermark = await currentWatermark(state, source)
  const held = heldScopes(state, source)
  const first = await source.commit({ ...part, watermark, nowMs, heldScopes: held })
  const { progress, removedClients, isSignedIn } = first
  const changes = [...first.changes]
  const scopeChanges = [...first.scopeChanges]
  let last = first
  let pages = 1
  let { chars } = first
  const isTooFar = () => !last.isComplete && (pages >= maxPages || chars > maxChars)
  while (!last.isComplete && !last.break && !isTooFar()) {
    await yieldToEventLoop()
    last = await source.commit({ watermark: last.watermark, nowMs, heldScopes: held })
    changes.push(...last.changes)
    scopeChanges.push(...last.scopeChanges)
    pages += 1
    chars += last.chars
  }
  const isRestored = last.break === 'restored'
  const answer = { isRestored, progress, removedClients, isSignedIn }
  if (!last.break && !isTooFar()) return { ...answer, changes, scopes: await readScopes(source, scopeChanges), watermark: last.watermark }
  if (isRestored) resetReplica(state)
  return { ...answer, changes: [], scopes: [], watermark: await beginImport(state, source) }
}

/** Returns the changes that differed from the replica. Call inside a storage transaction. */
export function applyPull(state: UserState, source: Source, { changes, scopes, watermark }: Pull): readonly Change[] {
  const real = [...state.engine.apply(withChildren(state, source, changes)), ...scopes.flatMap((rows) => replaceScope(state, source, rows))]
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
