/** Applies migrations to a new local database, to one whose bookkeeping lost rows and to one of another version. */
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { applyMigrations } from '../../../scripts/lib/migrate.ts'
import { migrationNames } from '../../../scripts/lib/migration-files.ts'

test('applies every migration once, in order, and stops at one that fails', async () => {
  const stateDir = newFolder()
  const names = migrationNames()
  expect(await applyMigrations(stateDir)).toEqual(names)
  expect(await applyMigrations(stateDir)).toEqual([])

  // The first of these would fail if it were applied again, because its tables exist.
  const forgotten = names.slice(names.indexOf('0004_threads.sql'))
  const recorded = inDatabase(stateDir, (database) => {
    for (const name of forgotten) database.prepare('delete from d1_migrations where name = ?').run(name)
    return appliedIn(database)
  })
  expect(recorded).toEqual(names.slice(0, -forgotten.length))
  forgetStamp(stateDir)
  await expect(applyMigrations(stateDir)).rejects.toThrow(new RegExp(`^migration ${forgotten[0]} was not applied: `))
  expect(inDatabase(stateDir, appliedIn)).toEqual(recorded)
})

test('refuses local data of a migration that this version does not have and names the folder to delete', async () => {
  const stateDir = newFolder()
  await applyMigrations(stateDir)
  inDatabase(stateDir, (database) => database.exec("insert into d1_migrations (name) values ('0002_directory_feed.sql')"))
  forgetStamp(stateDir)
  await expect(applyMigrations(stateDir)).rejects.toThrow(
    `this version does not have the migration 0002_directory_feed.sql of the local data. Delete the folder ${stateDir} and start again`,
  )
  // A container is rolled back by starting the version before on the same data.
  expect(await applyMigrations(stateDir, { acceptNewer: true })).toEqual([])
})

function newFolder(): string {
  const stateDir = mkdtempSync(join(tmpdir(), 'parley-migrate-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  return stateDir
}

const appliedIn = (database: DatabaseSync) =>
  database
    .prepare('select name from d1_migrations order by id')
    .all()
    .map(({ name }) => name)

/** Without the stamp, the next call reads the database again. */
function forgetStamp(stateDir: string): void {
  for (const stamp of globSync('**/migrations-hash', { cwd: stateDir })) rmSync(join(stateDir, stamp))
}

function inDatabase<Result>(stateDir: string, work: (database: DatabaseSync) => Result): Result {
  for (const file of globSync('**/d1/**/*.sqlite', { cwd: stateDir })) {
    const database = new DatabaseSync(join(stateDir, file))
    try {
      if (database.prepare("select 1 from sqlite_master where name = 'd1_migrations'").get()) return work(database)
    } finally {
      database.close()
    }
  }
  throw new Error(`no migrated database below ${stateDir}`)
}
