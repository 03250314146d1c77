/**
 * The transaction that mutators run in on the server. Reads see the replica and what this batch has written; writes are collected in order for
 * the source. The semantics are the client's: inserting an existing row and updating or deleting a missing one do nothing; undefined means
 * unchanged in an update and null in an insert.
 */
import type { Schema, Transaction } from '@rocicorp/zero'
import { asQueryInternals } from '@rocicorp/zero/bindings'
import type { Row, Table } from '../engine/types.ts'
import type { SyncApp } from '../object/app.ts'
import type { RowWrite } from '../pull/source.ts'
import type { Overlay } from './overlay.ts'

type ServerTx = Transaction<Schema>

type TransactionScope = {
  readonly overlay: Overlay
  readonly userId: string
  readonly clientID: string
  readonly mutationID: number
  readonly app: Pick<SyncApp, 'tables' | 'checkWrite'>
}

/** `writes` grows while the mutator runs. */
export function beginTransaction(scope: TransactionScope): { readonly tx: ServerTx; readonly writes: readonly RowWrite[] } {
  const writes: RowWrite[] = []
  const tables = Object.entries(scope.app.tables)
  const tx = {
    location: 'server',
    reason: 'authoritative',
    clientID: scope.clientID,
    mutationID: scope.mutationID,
    run: (query: Parameters<ServerTx['run']>[0]) => Promise.resolve(read(scope.overlay, query)),
    mutate: Object.fromEntries(tables.map(([name, table]) => [name, tableWriter(scope, name, table, writes)])),
  }
  // Zero's type also has a database handle and a deprecated query builder, which this server does not offer.
  return { tx: tx as unknown as ServerTx, writes }
}

function read(overlay: Overlay, query: Parameters<ServerTx['run']>[0]): unknown {
  const { ast, format } = asQueryInternals(query)
  if (ast.related?.length) throw new Error(`a mutator read rows related to ${ast.table}`)
  const rows = overlay.run(ast)
  return format.singular ? rows[0] : rows
}

function tableWriter({ overlay, userId, app }: TransactionScope, name: string, table: Table, writes: RowWrite[]) {
  const [key = 'id'] = table.primaryKey
  const complete = (row: Row): Row => Object.fromEntries(Object.keys(table.columns).map((column) => [column, row[column] ?? null]))
  const checked = (write: (row: Row, id: string) => void) => async (row: Row) => {
    const id = row[key]
    if (typeof id !== 'string') throw new Error(`a row of ${name} was written without its ${key}`)
    app.checkWrite?.(name, row, userId)
    write(row, id)
  }
  return {
    insert: checked((row, id) => {
      if (overlay.get(name, id)) return
      overlay.set(name, id, complete(row))
      writes.push({ kind: 'insert', table: name, row })
    }),
    upsert: checked((row, id) => {
      overlay.set(name, id, complete(row))
      writes.push({ kind: 'upsert', table: name, row })
    }),
    update: checked((row, id) => {
      const current = overlay.get(name, id)
      const changes = Object.fromEntries(Object.entries(row).filter(([column, value]) => value !== undefined && column !== key))
      if (!current || Object.keys(changes).length === 0) return
      overlay.set(name, id, { ...current, ...changes })
      writes.push({ kind: 'update', table: name, row: { [key]: id, ...changes } })
    }),
    delete: checked((_row, id) => {
      if (!overlay.get(name, id)) return
      overlay.set(name, id, null)
      writes.push({ kind: 'delete', table: name, row: { [key]: id } })
    }),
  }
}
