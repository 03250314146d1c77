// What a stopped product has on disk, read from its files, whatever the product would say about it.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { auditFindings } from './credit-audit.ts'

/** For a product that is just opening or closing the same file. */
const waitsMs = 30_000

/** `isRunning`: the product writes it at the same time. */
export function openRecord(stateDir: string, isRunning = false): DatabaseSync {
  const [record, ...others] = databasesWith(join(stateDir, 'v3', 'd1'), 'clientProgress', isRunning)
  if (!record || others.length > 0) throw new Error(`expected one record below ${stateDir}`)
  return record
}

/** What is wrong with its credits and turns. Also of a product that runs: everything it writes, it writes in whole batches. */
export async function auditRecord(stateDir: string, isRunning = false): Promise<string[]> {
  const findings: string[] = []
  // Not the objects' own files, of which there are many.
  for (const record of databasesWith(join(stateDir, 'v3', 'd1'), 'creditLedger', isRunning)) {
    findings.push(...(await auditFindings('turns', (sql) => record.prepare(sql).all())))
    record.close()
  }
  return findings
}

/** The databases of objects that write answers, also while they write them. */
export const openAnswerObjects = (stateDir: string): DatabaseSync[] => databasesWith(stateDir, 'answerSegment', true)

/** The databases of everybody's sync objects. */
export const openSyncObjects = (stateDir: string): DatabaseSync[] => databasesWith(stateDir, 'sync_group')

function databasesWith(stateDir: string, table: string, readOnly = false): DatabaseSync[] {
  return globSync('**/*.sqlite', { cwd: stateDir }).flatMap((file) => {
    const database = new DatabaseSync(join(stateDir, file), { readOnly, timeout: waitsMs })
    if (database.prepare('select 1 from sqlite_master where name = ?').get(table)) return [database]
    database.close()
    return []
  })
}
