// Applies migrations to the local D1, in process, with wrangler's own bookkeeping (`d1_migrations`), so that `wrangler d1 migrations`
// and we agree on what is applied. In process because wrangler's command costs two seconds and a process at every start.
// Each file is one D1 batch with its bookkeeping row: it is applied whole or not at all. All of them are one request to a Worker beside
// the database: through Miniflare's own client every statement would stop this process until it is answered, and a connection that
// workerd closes meanwhile, as it does after five seconds, fails the next batch.
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
  const migrations = await Promise.all(migrationNames().map(readMigration))
  const miniflare = databaseOnly(stateDir)
  try {
    const response = await miniflare.dispatchFetch('http://migrate', { method: 'POST', body: JSON.stringify(migrations) })
    const outcome = (await response.json()) as Outcome
    if ('failed' in outcome) throw new Error(`migration ${outcome.failed} was not applied: ${outcome.reason}`)
    applied.remember()
    return outcome.applied
  } finally {
    await miniflare.dispose()
  }
}

type Migration = { readonly name: string; readonly statements: readonly string[] }
type Outcome = { readonly applied: string[] } | { readonly failed: string; readonly reason: string }

/** Takes migrations, applies in their order those that are not applied yet, up to the first that fails, and answers with an `Outcome`. */
const migrator = `export default {
  async fetch(request, { DB }) {
    await DB.prepare(${JSON.stringify(bookkeeping)}).run()
    const { results } = await DB.prepare('select name from d1_migrations').all()
    const done = new Set(results.map(({ name }) => name))
    const applied = []
    for (const { name, statements } of await request.json()) {
      if (done.has(name)) continue
      const insert = DB.prepare('insert into d1_migrations (name) values (?)').bind(name)
      try {
        await DB.batch([...statements.map((sql) => DB.prepare(sql)), insert])
      } catch (error) {
        return Response.json({ failed: name, reason: error.message })
      }
      applied.push(name)
    }
    return Response.json({ applied })
  },
}`

/** Split by wrangler's splitter, the one that the real deployment uses: it knows that a trigger's body holds semicolons. */
async function readMigration(name: string): Promise<Migration> {
  const { unstable_splitSqlQuery: split } = await import('wrangler')
  return { name, statements: split(migrationText(name)) }
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
          script: migrator,
          compatibilityDate: compatibility_date,
          d1Databases: Object.fromEntries(d1_databases.map((database) => [database.binding, { id: database.preview_database_id }])),
        },
      ],
    }),
  )
}
