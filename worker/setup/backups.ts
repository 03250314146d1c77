/** Checks the daily backups: the token, the names of the databases, and the age of the newest backup. */
import type { Env } from '../bindings.ts'
import { type Backups, backupDates, findDatabase } from '../db/backups.ts'
import { contentDbs, directoryDb } from '../db/shards.ts'
import { type Finding, warning, works, wrong } from './parts.ts'

/** Chosen: one missed night. */
const maxAgeMs = 2 * 24 * 60 * 60 * 1000

export async function checkBackups(env: Env, backups: Backups | null, nowMs: number): Promise<Finding> {
  if (!backups) return wrong('Not set.')
  if (!env.FILES) return wrong('No bucket is bound as FILES, so no backups are made.')
  const bound = new Set([directoryDb(env), ...contentDbs(env)]).size
  if (backups.databases.length !== bound)
    return wrong(`BACKUP_DATABASES names ${backups.databases.length}, but ${bound} are bound (wrangler.jsonc).`)
  const newest: string[] = []
  for (const name of backups.databases) {
    try {
      await findDatabase(backups, name)
    } catch (error) {
      return wrong(`${name}: ${error instanceof Error ? error.message : 'unknown failure'}.`)
    }
    const [date] = await backupDates(env.FILES, name)
    if (date === undefined) return warning(`The token is valid, but ${name} has no backup yet. It is made after ${backups.hour}:00 UTC.`)
    if (nowMs - Date.parse(date) > maxAgeMs)
      return wrong(`The newest backup of ${name} is of ${date}. The log has the reason (scheduled_job_failed).`)
    newest.push(`${name} of ${date}`)
  }
  return works(`Newest: ${newest.join(', ')}.`)
}
