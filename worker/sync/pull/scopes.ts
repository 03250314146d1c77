/**
 * Scopes: groups of rows that a user gains and loses as a whole, such as the rows of an organization. The feed has one row for that and not one
 * for each row of the scope.
 */
import type { Change } from '../engine/types.ts'
import type { UserState } from '../state/user-state.ts'
import type { ScopeChange, Source } from './source.ts'

/** All rows of a scope that the user may see; none after its removal. */
export type ScopeRows = { readonly scope: string; readonly rows: readonly Change[] }

/** Scopes of which the replica has rows. */
export const heldScopes = ({ sql }: UserState, { scopes }: Source): readonly string[] =>
  scopes ? sql.all<{ id: string }>(scopes.heldSql).map(({ id }) => id) : []

/** The rows of the scopes that changed. They are read after the feed, so they are at least as new. The last change of a scope counts. */
export async function readScopes({ scopes }: Source, scopeChanges: readonly ScopeChange[]): Promise<readonly ScopeRows[]> {
  if (!scopes) return []
  const last = new Map(scopeChanges.map(({ scope, isAdded }) => [scope, isAdded]))
  return Promise.all([...last].map(async ([scope, isAdded]) => ({ scope, rows: isAdded ? await scopes.read(scope) : [] })))
}

/** Adds and updates the rows, and deletes the other rows of the scope. Returns the changes that were real. */
export function replaceScope({ engine, sql }: UserState, { scopes }: Source, { scope, rows }: ScopeRows): readonly Change[] {
  const present = new Set(rows.map(({ table, id }) => `${table} ${id.id}`))
  const removed = (scopes?.rowsOf ?? []).flatMap(([table, condition]) =>
    sql
      .all<{ id: string }>(`select id from "${table}" where ${condition}`, scope)
      .filter(({ id }) => !present.has(`${table} ${id}`))
      .map(({ id }) => ({ table, id: { id }, row: null })),
  )
  return engine.apply([...removed, ...rows])
}
