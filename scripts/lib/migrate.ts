// Applies migrations to the local D1 with wrangler's bookkeeping table (`d1_migrations`), so `wrangler d1 migrations` sees the same state.
// Wrangler's command would add two seconds and a process to every start.
// Each file is one D1 batch with its bookkeeping row, so it is applied completely or not at all. All files are one request to a Worker next
// to the database: Miniflare's own client blocks this process during every statement. It also fails when workerd closes an idle connection
// after five seconds.
// Runs before the public port is open, so no request sees an incomplete schema.
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { fail } from './console.ts'
import { bookkeeping, migrationNames, migrationText } from './migration-files.ts'
import { persistDirOf, wranglerFile } from './paths.ts'
import { hashOf, stamp } from './sources.ts'
import { type LocalDatabases, localDatabases, readWranglerConfig } from './wrangler-config.ts'

type MigrateOptions = {
  readonly databases?: LocalDatabases
  /** Accepts data that a newer version has migrated, because a Worker works with the schema of the next version (CONTRIBUTING.md). */
  readonly acceptNewer?: boolean
}

/** Applies all migrations to every database. Returns the names applied now. */
export async function applyMigrations(
  stateDir: string,
  { databases = localDatabases(process.env), acceptNewer = false }: MigrateOptions = {},
): Promise<string[]> {
  const applied = appliedStamp(stateDir, databases)
  if (applied.isUpToDate()) return []
  // Each file is one statement of D1, although it contains several of SQLite: SQLite itself finds the ends of trigger bodies.
  const migrations = migrationNames().map((name) => ({ name, sql: migrationText(name) }))
  const outcome = (await askDatabases(stateDir, databases, { script: migrator, body: { migrations, acceptNewer } })) as Outcome
  if ('unknown' in outcome)
    throw new Error(
      `this version does not have the migration ${outcome.unknown} of the local data. Delete the folder ${stateDir} and start again`,
    )
  if ('failed' in outcome) throw new Error(`migration ${outcome.failed} was not applied: ${outcome.reason}`)
  applied.remember()
  return outcome.applied
}

/** True if `applyMigrations` would apply nothing. */
export const isMigrated = (stateDir: string): boolean => appliedStamp(stateDir, localDatabases(process.env)).isUpToDate()

/** In the folder of the database, so that deleting the state also deletes the stamp. */
const appliedStamp = (stateDir: string, databases: LocalDatabases) =>
  stamp(join(persistDirOf(stateDir), 'd1', 'migrations-hash'), hashOf(['migrations'], Object.keys(databases)))

type Outcome = { readonly applied: string[] } | { readonly failed: string; readonly reason: string } | { readonly unknown: string }

/** Applies the given migrations in order, except those already applied, up to the first failure. Responds with an `Outcome`. */
const migrator = `export default {
  async fetch(request, databases) {
    const { migrations, acceptNewer } = await request.json()
    const names = new Set()
    for (const DB of Object.values(databases)) {
      await DB.prepare(${JSON.stringify(bookkeeping)}).run()
      const { results } = await DB.prepare('select name from d1_migrations').all()
      const done = new Set(results.map(({ name }) => name))
      const unknown = [...done].find((name) => !migrations.some((migration) => migration.name === name))
      if (unknown !== undefined && !acceptNewer) return Response.json({ unknown })
      for (const { name, sql } of migrations) {
        if (done.has(name)) continue
        const insert = DB.prepare('insert into d1_migrations (name) values (?)').bind(name)
        try {
          await DB.batch([DB.prepare(sql), insert])
        } catch (error) {
          return Response.json({ failed: name, reason: error.message })
        }
        names.add(name)
      }
    }
    return Response.json({ applied: [...names] })
  },
}`

/** Sends one request to a Worker that has only the databases. Returns its answer in JSON. */
export async function askDatabases(
  stateDir: string,
  databases: LocalDatabases,
  { script, body }: { readonly script: string; readonly body: unknown },
): Promise<unknown> {
  const { compatibility_date } = readWranglerConfig(wranglerFile)
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      log: new Log(LogLevel.WARN),
      cf: false,
      resourcePersistencePath: persistDirOf(stateDir),
      workers: [{ name: 'databases', modules: true, script, compatibilityDate: compatibility_date, d1Databases: databases }],
    }),
  )
  try {
    const response = await miniflare.dispatchFetch('http://databases', { method: 'POST', body: JSON.stringify(body) })
    return await response.json()
  } finally {
    await miniflare.dispose()
  }
}

// `node scripts/lib/migrate.ts FOLDER`
if (import.meta.main) {
  const applied = applyMigrations(process.argv[2] ?? '')
  await applied.then((names) => console.log(`Parley: applied ${names.join(', ')}.`), fail('Parley: the migration failed'))
}
