/** Rows written by an object. Counts are the same on every machine. */

/** Counts rows written by SQL from now on, including index rows. */
export function countSqlRows({ sql }: DurableObjectStorage): { count: number } {
  const rows = { count: 0 }
  const exec = sql.exec.bind(sql)
  sql.exec = (...args: Parameters<typeof exec>) => {
    const cursor = exec(...args)
    // Counted when the statement has completed, which for a write is at once.
    rows.count += cursor.rowsWritten
    return cursor as never
  }
  return rows
}

/** The same, with an alarm counted as a row. */
export function countRows(storage: DurableObjectStorage): { count: number } {
  const rows = countSqlRows(storage)
  const setAlarm = storage.setAlarm.bind(storage)
  storage.setAlarm = (...args: Parameters<typeof setAlarm>) => {
    rows.count += 1
    return setAlarm(...args)
  }
  return rows
}
