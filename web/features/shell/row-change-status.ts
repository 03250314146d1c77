/** Compares a change of a closed page with the row of the server. No side effects. */
import type { RowChange } from '../../sync/row-changes.ts'

/** `again`: the server has not received the write. `over`: it has, or the row was changed or deleted elsewhere since. */
export function statusOfChange(change: RowChange, row: { readonly value?: unknown; readonly updatedAt?: number } | null): 'again' | 'over' {
  if (!row) return 'over'
  if (change.kind === 'deletion') return row.updatedAt === change.updatedAt ? 'again' : 'over'
  const same = (value: unknown) => JSON.stringify(value) === JSON.stringify(row.value ?? null)
  return !same(change.value) && change.was.some(same) ? 'again' : 'over'
}
