// Applies migrations to the local D1, in process, with wrangler's own bookkeeping (`d1_migrations`), so that `wrangler d1 migrations`
// and we agree on what is applied. In process because wrangler's command costs two seconds and a process at every start.
// Each file is one D1 batch with its bookkeeping row: it is applied whole or not at all.
// It runs before anything listens on the public port, so no request ever meets half a schema.
import { join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { bookkeeping, migrationNames, migrationText } from './migration-files.ts'
import { persistDirOf, wranglerFile } from './paths.ts'
import { hashOf, stamp } from './sources.ts'
import { readWranglerConfig } from './wrangler-config.ts'

/** Returns the names applied now. */
export async function applyMigrations(stateDir: string): Promise<string[]> {
  // Kept in the same folder as the database: whoever deletes the state deletes the stamp with it.
  const applied = stamp(join(persistDirOf(stateDir), 'd1', 'migrations-hash'), hashOf(['migrations']))
  if (applied.isFresh()) return []
  const miniflare = databaseOnly(stateDir)
  try {
    const database = await miniflare.getD1Database('DB')
    await database.prepare(bookkeeping.replaceAll('\n', ' ')).run()
    const { results } = await database.prepare('select name from d1_migrations').all()
    const done = new Set((results as { name: string }[]).map((row) => row.name))
    const names = migrationNames().filter((name) => !done.has(name))
    for (const name of names) {
      const statements = await statementsOf(migrationText(name))
      const insert = database.prepare('insert into d1_migrations (name) values (?)').bind(name)
      await database.batch([...statements.map((sql) => database.prepare(sql)), insert]).catch((cause: unknown) => {
        throw new Error(`migration ${name} was not applied: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
      })
    }
    applied.remember()
    return names
  } finally {
    await miniflare.dispose()
  }
}

/** Wrangler's splitter: it knows that a trigger's body holds semicolons. */
async function statementsOf(sql: string): Promise<string[]> {
  const { unstable_splitSqlQuery: split } = await import('wrangler')
  return split(sql)
}

function databaseOnly(stateDir: string): Miniflare {
  const { compatibility_date, d1_databases } = readWranglerConfig(wranglerFile)
  return new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      log: new Log(LogLevel.WARN),
      cf: false,
      resourcePersistencePath: persistDirOf(stateDir),
      workers: [
        {
          name: 'migrate',
          modules: true,
          script: 'export default { fetch: () => new Response(null, { status: 404 }) }',
          compatibilityDate: compatibility_date,
          d1Databases: Object.fromEntries(d1_databases.map((database) => [database.binding, { id: database.preview_database_id }])),
        },
      ],
    }),
  )
}
