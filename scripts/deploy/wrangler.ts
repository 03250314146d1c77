// The steps of `npm run deploy` that wrangler carries out. Wrangler selects the credentials (CLOUDFLARE_API_TOKEN or `wrangler login`) and
// the account (`account_id` in wrangler.jsonc, CLOUDFLARE_ACCOUNT_ID, or the only account of the credentials). Every step checks the current
// state first.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { bookkeeping, migrationNames, migrationText } from '../lib/migration-files.ts'
import { cacheDir, productionDir, wranglerFile } from '../lib/paths.ts'
import { run } from '../lib/run.ts'
import type { WranglerConfig } from '../lib/wrangler-config.ts'

type Options = {
  /** Prints the output as it arrives. */
  readonly show?: boolean
  readonly config?: string
  /** An error message that counts as success. */
  readonly accept?: RegExp
}

/** Returns the standard output, or null for an accepted error. */
async function wrangler(args: readonly string[], { show = false, config = wranglerFile, accept }: Options = {}): Promise<string | null> {
  const { status, stdout, output } = await run('wrangler', [...args, '--config', config], { show })
  if (status === 0) return stdout
  if (accept?.test(output)) return null
  const reason = show ? 'see the error above' : output.trim()
  throw new Error(
    `wrangler ${args.slice(0, 2).join(' ')} failed: ${reason}\nCompleted steps are kept. Fix the cause and run the command again`,
  )
}

async function wranglerJson<Result>(args: readonly string[], result: z.ZodType<Result>): Promise<Result> {
  return result.parse(JSON.parse((await wrangler(args)) ?? ''))
}

/**
 * Names of the stored secrets, whose values cannot be read. Throws if a Worker of this name is another application, because an upload would
 * replace it. `isOwn`: the Worker is known to be Parley's, although it may be empty.
 */
export async function storedSecrets(worker: string, { isOwn }: { readonly isOwn: boolean }): Promise<ReadonlySet<string>> {
  const list = await wrangler(['secret', 'list', '--format', 'json'], { accept: new RegExp(`Worker "${worker}" not found`) })
  if (list === null) return new Set()
  const names = new Set(
    z
      .array(z.object({ name: z.string() }))
      .parse(JSON.parse(list))
      .map(({ name }) => name),
  )
  if (isOwn || names.has('BETTER_AUTH_SECRET')) return names
  throw new Error(
    `this account already has a Worker named ${worker}, and it is not Parley (it has no BETTER_AUTH_SECRET). ` +
      'Choose another "name" in wrangler.jsonc',
  )
}

export async function ensureDatabases(databases: WranglerConfig['d1_databases'], log: (line: string) => void): Promise<void> {
  const names = databases.filter(({ database_id }) => database_id === undefined).map(({ database_name }) => database_name)
  if (names.length === 0) return
  const existing = await wranglerJson(['d1', 'list', '--json'], z.array(z.object({ name: z.string() })))
  for (const name of names.filter((name) => !existing.some((database) => database.name === name))) {
    await wrangler(['d1', 'create', name])
    log(`created the D1 database ${name}`)
  }
}

/** Returns the id: wrangler finds databases and buckets by name, but not namespaces. */
export async function ensureNamespace(title: string, log: (line: string) => void): Promise<string> {
  const rows = z.array(z.object({ id: z.string(), title: z.string() }))
  const find = async () => (await wranglerJson(['kv', 'namespace', 'list'], rows)).find((row) => row.title === title)?.id
  const existing = await find()
  if (existing !== undefined) return existing
  await wrangler(['kv', 'namespace', 'create', title])
  log(`created the KV namespace ${title}`)
  const created = await find()
  if (created === undefined)
    throw new Error(`Cloudflare does not list the new KV namespace ${title} yet; run the command again in a minute`)
  return created
}

export async function ensureBucket(name: string, log: (line: string) => void): Promise<void> {
  const created = await wrangler(['r2', 'bucket', 'create', name], { accept: /already exists/ })
  if (created !== null) log(`created the R2 bucket ${name}`)
}

/**
 * Applies the pending migrations as one import with wrangler's bookkeeping. An import is atomic, and SQLite parses it. `wrangler d1
 * migrations apply` fails in deployed databases: Cloudflare splits its query at the semicolons in our triggers (cloudflare/workers-sdk#15690).
 */
export async function applyMigrations(database: string, log: (line: string) => void): Promise<void> {
  const execute = ['d1', 'execute', database, '--remote']
  const rows = z.array(z.object({ results: z.array(z.object({ name: z.string() })) }))
  const results = await wranglerJson(
    [...execute, '--json', '--command', `${bookkeeping}; select name from d1_migrations order by id`],
    rows,
  )
  const applied = results.flatMap((result) => result.results).map(({ name }) => name)
  const ours = migrationNames()
  const unknown = applied.filter((name) => !ours.includes(name))
  if (unknown.length > 0) log(`the database ${database} has newer migrations than this checkout: ${unknown.join(', ')}`)
  const pending = ours.filter((name) => !applied.includes(name))
  if (pending.length === 0) return
  if (applied.length > 0) {
    const { bookmark } = await wranglerJson(['d1', 'time-travel', 'info', database, '--json'], z.object({ bookmark: z.string() }))
    log(`before the migrations, the database ${database} is at bookmark ${bookmark}`)
  }
  const file = join(cacheDir, 'pending-migrations.sql')
  writeFileSync(file, pending.map((name) => `${migrationText(name)}\ninsert into d1_migrations (name) values ('${name}');\n`).join(''))
  log(`importing ${pending.join(', ')} into the database ${database}, which is unavailable meanwhile`)
  await wrangler([...execute, '--yes', '--file', file])
}

type Upload = {
  readonly config: WranglerConfig
  /** The variables of the Worker, which replace those of the configuration. */
  readonly vars: Readonly<Record<string, string>>
  /** KV namespace ids by binding. */
  readonly namespaces: Readonly<Record<string, string>>
  readonly hasFiles: boolean
  /** The file with new secrets. Stored secrets are kept. */
  readonly secrets: string | null
}
type BuiltConfig = { readonly kv_namespaces: readonly { readonly binding: string }[] }

/** Uploads the built Worker with its secrets as one version. Returns its workers.dev address, if it has one. */
export async function uploadWorker({ config, vars, namespaces, hasFiles, secrets }: Upload): Promise<string | undefined> {
  const built = JSON.parse(readFileSync(join(productionDir, 'wrangler.json'), 'utf8')) as BuiltConfig
  // Next to the configuration of the build, because paths are relative. The build can be older than wrangler.jsonc.
  const file = join(productionDir, 'deploy.json')
  const { account_id, routes, name } = config
  const d1_databases = config.d1_databases.map(({ preview_database_id, ...database }) => database)
  const kv_namespaces = built.kv_namespaces.map((namespace) => ({ ...namespace, id: namespaces[namespace.binding] }))
  const resources = { d1_databases, kv_namespaces, r2_buckets: hasFiles ? config.r2_buckets : [] }
  writeFileSync(file, JSON.stringify({ ...built, name, account_id, vars, routes, ...resources }))
  const output = await wrangler(['deploy', ...(secrets === null ? [] : ['--secrets-file', secrets])], { show: true, config: file })
  return output?.match(/https:\/\/\S+\.workers\.dev/)?.[0]
}

export const putSecrets = (file: string) => wrangler(['secret', 'bulk', file])
