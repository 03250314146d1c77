// What a stopped product has on disk, read from its files, whatever the product would say about it.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export function openRecord(stateDir: string): DatabaseSync {
  const [record, ...others] = databasesWith(stateDir, 'clientProgress')
  if (!record || others.length > 0) throw new Error(`expected one record below ${stateDir}`)
  return record
}

/** The databases of everybody's sync objects. */
export const openSyncObjects = (stateDir: string): DatabaseSync[] => databasesWith(stateDir, 'sync_group')

function databasesWith(stateDir: string, table: string): DatabaseSync[] {
  return globSync('**/*.sqlite', { cwd: stateDir }).flatMap((file) => {
    const database = new DatabaseSync(join(stateDir, file))
    if (database.prepare('select 1 from sqlite_master where name = ?').get(table)) return [database]
    database.close()
    return []
  })
}
