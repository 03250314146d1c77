// The record of a stopped product, read from its file: what is there after the server's death, whatever the server would say about it.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export function openRecord(stateDir: string): DatabaseSync {
  for (const file of globSync('**/*.sqlite', { cwd: stateDir })) {
    const database = new DatabaseSync(join(stateDir, file))
    if (database.prepare(`select 1 from sqlite_master where name = 'clientProgress'`).get()) return database
    database.close()
  }
  throw new Error(`no database below ${stateDir} holds the record`)
}
