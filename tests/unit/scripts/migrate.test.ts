/** What a first start does with its database, and one whose bookkeeping has lost a row. */
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { applyMigrations } from '../../../scripts/lib/migrate.ts'
import { migrationNames, migrationText } from '../../../scripts/lib/migration-files.ts'

test('every migration is applied once, in its order; one that fails is named, and none behind it is applied', {
  timeout: 120_000,
}, async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'parley-migrate-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  const names = migrationNames()
  expect(await applyMigrations(stateDir)).toEqual(names)
  expect(await applyMigrations(stateDir)).toEqual([])

  // From the newest on that cannot be applied twice and has others behind it.
  const createsSomething = (name: string) => /^create /m.test(migrationText(name)) && !/^drop /m.test(migrationText(name))
  const forgotten = names.slice(names.slice(0, -1).findLastIndex(createsSomething))
  const recorded = inRecord(stateDir, (database) => {
    for (const name of forgotten) database.prepare('delete from d1_migrations where name = ?').run(name)
    return database.prepare('select name from d1_migrations order by id').all().length
  })
  expect(recorded).toBe(names.length - forgotten.length)
  for (const stamp of globSync('**/migrations-hash', { cwd: stateDir })) rmSync(join(stateDir, stamp))
  await expect(applyMigrations(stateDir)).rejects.toThrow(new RegExp(`^migration ${forgotten[0]} was not applied: .*already exists`))
  expect(inRecord(stateDir, (database) => database.prepare('select name from d1_migrations').all().length)).toBe(recorded)
})

function inRecord<Result>(stateDir: string, work: (database: DatabaseSync) => Result): Result {
  for (const file of globSync('**/d1/**/*.sqlite', { cwd: stateDir })) {
    const database = new DatabaseSync(join(stateDir, file))
    try {
      if (database.prepare("select 1 from sqlite_master where name = 'd1_migrations'").get()) return work(database)
    } finally {
      database.close()
    }
  }
  throw new Error(`no record below ${stateDir}`)
}
