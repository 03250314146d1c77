/** What the row ops of a poke make of the rows that a client holds. Clients of tests apply them alike, and as the real one does. */
type Row = { readonly [column: string]: unknown }

/** As it comes from the wire, where a server may also be wrong. */
export type RowOp = {
  readonly op: string
  readonly tableName: string
  readonly id: Row
  readonly value: Row
  readonly merge: Row
}

export const nameOfRow = (table: string, id: unknown): string => `${table}/${String(id)}`

/** The real client would make a row of an update of none, which is then short of columns: no server may send one. */
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
