// The data of a stopped product, read from its files.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { auditFindings } from './credit-audit.ts'

/** Chosen: waits for a product that is opening or closing the same file. */
const waitsMs = 30_000

/** The content database of the users; all users of a test have the same one. `isRunning`: the product writes it at the same time. */
export function openRecord(stateDir: string, isRunning = false): DatabaseSync {
  const databases = openDatabases(stateDir, isRunning)
  const used = databases.filter((database) => database.prepare('select 1 from setting').get() !== undefined)
  const [record, ...others] = used.length === 0 ? databases.slice(0, 1) : used
  if (!record || others.length > 0) throw new Error(`expected one database with content below ${stateDir}`)
  for (const database of databases) if (database !== record) database.close()
  return record
}

/** All D1 databases: each has every table. */
export const openDatabases = (stateDir: string, isRunning = false): DatabaseSync[] =>
  databasesWith(join(stateDir, 'v3', 'd1'), 'setting', isRunning)

/** Violated invariants of credits and turns. Also valid for a running product, because it writes in atomic batches. */
export async function auditRecord(stateDir: string, isRunning = false): Promise<string[]> {
  const findings: string[] = []
  // Skips the objects' files, which are many.
  for (const record of openDatabases(stateDir, isRunning)) {
    findings.push(...(await auditFindings('turns', (queries) => queries.map((sql) => record.prepare(sql).all()))))
    record.close()
  }
  return findings
}

/** The databases of objects that write answers, also while they write. */
export const openAnswerObjects = (stateDir: string): DatabaseSync[] => databasesWith(stateDir, 'segment', true)

/** The databases of all sync objects. */
export const openSyncObjects = (stateDir: string): DatabaseSync[] => databasesWith(stateDir, 'sync_group')

function databasesWith(stateDir: string, table: string, readOnly = false): DatabaseSync[] {
  return globSync('**/*.sqlite', { cwd: stateDir }).flatMap((file) => {
    const database = new DatabaseSync(join(stateDir, file), { readOnly, timeout: waitsMs })
    if (database.prepare('select 1 from sqlite_master where name = ?').get(table)) return [database]
    database.close()
    return []
  })
}
