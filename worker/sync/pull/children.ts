/** Child tables: rows that are deleted with their parent, which the feed does not list. A large group then costs one feed row. */
import type { Change } from '../engine/types.ts'
import type { UserState } from '../state/user-state.ts'
import type { Source } from './source.ts'

/** Adds the deletions of the replica's child rows to the deletions of their parents. */
export const withChildren = ({ sql }: UserState, { childTables = [] }: Source, changes: readonly Change[]): readonly Change[] =>
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
