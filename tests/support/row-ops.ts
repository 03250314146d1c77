/** Applies the row operations of a poke to a client's rows. Shared by the test clients; equals the real client's behaviour. */
type Row = { readonly [column: string]: unknown }

/** Unvalidated, because the server may be wrong. */
export type RowOp = {
  readonly op: string
  readonly tableName: string
  readonly id: Row
  readonly value: Row
  readonly merge: Row
}

const nameOfRow = (table: string, id: unknown): string => `${table}/${String(id)}`

/** The real client would create an incomplete row from an update of a missing row, so no server may send one. */
export function applyRowOp<Held extends Row>(rows: Map<string, Held>, { op, tableName, id, value, merge }: RowOp): void {
  if (op === 'clear') {
    rows.clear()
    return
  }
  const name = nameOfRow(tableName, (op === 'put' ? value : id).id)
  const held = rows.get(name)
  if (op === 'put') rows.set(name, value as Held)
  else if (op === 'del') rows.delete(name)
  else if (op === 'update' && held) rows.set(name, { ...held, ...merge })
  else throw new Error(`${op} of ${name}, which ${held ? 'is' : 'is not'} held`)
}
