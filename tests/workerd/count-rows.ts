/** Rows written by an object and in D1. Counts are the same on every machine. */

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

/** Counts rows written in all databases from now on, including index rows. All objects of a test have the same prototypes. */
export function countD1Rows(db: D1Database): { count: number } {
  const rows = { count: 0 }
  const add = (result: unknown) => {
    for (const { meta } of [result].flat() as D1Result[]) rows.count += meta.rows_written
    return result
  }
  const count = (prototype: Record<string, (...args: unknown[]) => Promise<unknown>>, name: string) => {
    const original = prototype[name]
    if (!original) throw new Error(`D1 has no ${name}`)
    prototype[name] = async function (...args) {
      return add(await original.apply(this, args))
    }
  }
  count(Object.getPrototypeOf(db), 'batch')
  for (const name of ['run', 'all']) count(Object.getPrototypeOf(db.prepare('select 1')), name)
  return rows
}
