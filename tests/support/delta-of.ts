/** Deltas of the engine with parsed rows. Production sends the rows as the texts that the engine gives. */
import type { Delta, Engine, RowOp, Version } from '../../worker/sync/engine/types.ts'

export type ParsedDelta = Omit<Delta, 'rows'> & { readonly rows: readonly RowOp[] }

export function deltaOf(engine: Pick<Engine, 'stream'>, groupID: string, since: Version | null): ParsedDelta {
  const delta = engine.stream(groupID, since)
  return { ...delta, rows: Array.from(delta.rows, (text) => JSON.parse(text) as RowOp) }
}
