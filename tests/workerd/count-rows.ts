/** Rows that an object writes: counts, and therefore the same on every machine. */

/** Counts what SQL writes from now on, index rows included. */
export function countSqlRows({ sql }: DurableObjectStorage): { count: number } {
  const rows = { count: 0 }
  const exec = sql.exec.bind(sql)
  sql.exec = (...args: Parameters<typeof exec>) => {
    const cursor = exec(...args)
    // Counted once the statement has run to its end, which for a write is at once.
    rows.count += cursor.rowsWritten
    return cursor as never
  }
  return rows
}

/** The same, an alarm being a row like any other. */
export function countRows(storage: DurableObjectStorage): { count: number } {
  const rows = countSqlRows(storage)
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (...args: Parameters<typeof setAlarm>) => {
    rows.count += 1
    return setAlarm(...args)
  }
  return rows
}

/** Counts what SQL reads from now on, rows of indexes included. Ask when every answer has been read to its end. */
export function countSqlReads({ sql }: DurableObjectStorage): () => number {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = []
  const exec = sql.exec.bind(sql)
  sql.exec = (...args: Parameters<typeof exec>) => {
    const cursor = exec(...args)
    cursors.push(cursor)
    return cursor as never
  }
  return () => cursors.reduce((read, cursor) => read + cursor.rowsRead, 0)
}
