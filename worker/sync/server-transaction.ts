/**
 * The transaction that the contract's mutators run in on the server. Reads see the replica and what this batch has written;
 * writes are collected in order and become D1 statements. Semantics are the browser's: inserting a row that is there and updating
 * or deleting one that is not do nothing; undefined means unchanged in an update and null in an insert.
 */
import type { Transaction } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import { type Schema, schema } from '../contract/schema.ts'
import { isWritable, type RowWrite, type WritableTable } from '../db/writes.ts'
import type { Row } from './engine/types.ts'
import type { Overlay } from './push/overlay.ts'
import { syncedTables } from './synced-tables.ts'

export type ServerTx = Transaction<Schema>

export type TransactionScope = {
  readonly overlay: Overlay
  readonly userId: string
  readonly clientID: string
  readonly mutationID: number
}

/** `writes` fills while the mutator runs. */
export function beginTransaction(scope: TransactionScope): { readonly tx: ServerTx; readonly writes: readonly RowWrite[] } {
  const writes: RowWrite[] = []
  const tx = {
    location: 'server',
    reason: 'authoritative',
    clientID: scope.clientID,
    mutationID: scope.mutationID,
    run: (query: Parameters<ServerTx['run']>[0]) => Promise.resolve(read(scope.overlay, query)),
    mutate: Object.fromEntries(Object.keys(schema.tables).map((table) => [table, tableWriter(scope, table, writes)])),
  }
  // Zero's type also has a database handle and a deprecated query builder; the contract's mutators use neither.
  return { tx: tx as unknown as ServerTx, writes }
}

function read(overlay: Overlay, query: Parameters<ServerTx['run']>[0]): unknown {
  const { ast, format } = asQueryInternals(query)
  if (ast.related?.length) throw new Error(`a mutator asked for rows related to ${ast.table}`)
  const rows = overlay.run(ast)
  return format.singular ? rows[0] : rows
}

function tableWriter({ overlay, userId }: TransactionScope, table: string, writes: RowWrite[]) {
  const writing = (write: (table: WritableTable, row: Row, id: string) => void) => async (row: Row) => {
    if (!isWritable(table)) throw new Error(`mutators may not write ${table}`)
    if (typeof row.id !== 'string') throw new Error(`a row of ${table} was written without its id`)
    if (row.userId !== undefined && row.userId !== userId) throw new Error(`a row of ${table} was written for somebody else`)
    write(table, row, row.id)
  }
  return {
    insert: writing((name, row, id) => {
      if (overlay.get(name, id)) return
      overlay.set(name, id, complete(name, row))
      writes.push({ kind: 'insert', table: name, row })
    }),
    upsert: writing((name, row, id) => {
      overlay.set(name, id, complete(name, row))
      writes.push({ kind: 'upsert', table: name, row })
    }),
    update: writing((name, row, id) => {
      const current = overlay.get(name, id)
      const changes = Object.fromEntries(Object.entries(row).filter(([column, value]) => value !== undefined && column !== 'id'))
      if (!current || Object.keys(changes).length === 0) return
      overlay.set(name, id, { ...current, ...changes })
      writes.push({ kind: 'update', table: name, row: { id, ...changes } })
    }),
    delete: writing((name, _row, id) => {
      if (!overlay.get(name, id)) return
      overlay.set(name, id, null)
      writes.push({ kind: 'delete', table: name, row: { id } })
    }),
  }
}

const complete = (table: string, row: Row): Row =>
  Object.fromEntries(Object.keys(syncedTables[table]?.columns ?? {}).map((column) => [column, row[column] ?? null]))
