/**
 * Starts in workerd exactly what a Cloudflare peer received: modules, files, bindings of the metadata with their values, and a D1 with the
 * deployed data. Anything missing in the upload is missing here too.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare'
import type { Account, AssetSession, Binding, Worker } from './peers/cloudflare-account.ts'

export type Deployed = { readonly fetch: (path: string, init?: RequestInit) => Promise<Response>; stop(): Promise<void> }

export async function startDeployed(account: Account, name: string): Promise<Deployed> {
  const worker = account.workers.get(name)
  const version = worker?.versions.find(({ id }) => id === worker.deployments[0])
  if (!worker?.assets || !version) throw new Error(`nothing is deployed as ${name}`)
  const directory = mkdtempSync(join(tmpdir(), 'parley-deployed-'))
  writeFiles(directory, account, worker.assets)
  const { main_module, bindings, compatibility_date, compatibility_flags } = version.metadata
  const modules = [...version.modules].sort(([a], [b]) => Number(b === main_module) - Number(a === main_module))
  const options: V4WorkerOptions = {
    ...bound(bindings, worker, directory),
    name,
    compatibilityDate: compatibility_date,
    compatibilityFlags: [...compatibility_flags],
    modulesRoot: '/',
    modules: modules.map(([path, contents]) => ({ type: 'ESModule', path: join('/', path), contents })),
  }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port: 0,
      cf: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: () => undefined,
      workers: [options],
    }),
  )
  const origin = await miniflare.ready
  await fillDatabases(miniflare, account, bindings)
  return {
    fetch: (path, init = {}) => fetch(new URL(path, origin), { redirect: 'manual', ...init }),
    stop: async () => {
      await miniflare.dispose()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function bound(bindings: readonly Binding[], worker: Worker, directory: string): Partial<V4WorkerOptions> {
  const of = (type: string, field: string) =>
    Object.fromEntries(bindings.filter((binding) => binding.type === type).map((binding) => [binding.name, String(binding[field])]))
  const objects = Object.entries(of('durable_object_namespace', 'class_name'))
  const rules = worker.assets?.config.run_worker_first as readonly string[]
  return {
    bindings: { ...of('plain_text', 'text'), ...Object.fromEntries(worker.secrets) },
    d1Databases: of('d1', 'id'),
    kvNamespaces: of('kv_namespace', 'namespace_id'),
    r2Buckets: of('r2_bucket', 'bucket_name'),
    durableObjects: Object.fromEntries(objects.map(([name, className]) => [name, { className, useSQLite: true }])),
    assets: {
      directory,
      binding: bindings.find(({ type }) => type === 'assets')?.name ?? '',
      routerConfig: {
        has_user_worker: true,
        static_routing: {
          user_worker: rules.filter((rule) => !rule.startsWith('!')),
          asset_worker: rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1)),
        },
      },
    },
  }
}

function writeFiles(directory: string, { files }: Account, { manifest }: AssetSession): void {
  for (const [path, { hash }] of manifest) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), files.get(hash) ?? '')
  }
}

async function fillDatabases(miniflare: Miniflare, { databases }: Account, bindings: readonly Binding[]): Promise<void> {
  for (const { type, name, id } of bindings) {
    const source = type === 'd1' ? databases.find(({ uuid }) => uuid === id) : undefined
    if (!source) continue
    const target = await miniflare.getD1Database(name)
    const all = [...dump(source.sqlite)].map(({ sql, values }) => target.prepare(sql).bind(...values))
    await target.batch(all)
  }
}

/** Tables first, then rows, then triggers and views, which would act on the rows. */
function* dump(sqlite: DatabaseSync): Generator<{ sql: string; values: SQLInputValue[] }> {
  const schema = sqlite.prepare(
    "select type, name, sql from sqlite_master where sql is not null and name <> 'sqlite_sequence' order by type <> 'table', rowid",
  )
  const parts = schema.all() as { type: string; name: string; sql: string }[]
  for (const { sql } of parts.filter(({ type }) => type === 'table')) yield { sql, values: [] }
  for (const { name } of parts.filter(({ type }) => type === 'table'))
    for (const row of sqlite.prepare(`select * from "${name}"`).all()) {
      const columns = Object.keys(row)
      const sql = `insert into "${name}" (${columns.map((column) => `"${column}"`).join()}) values (${columns.map(() => '?').join()})`
      yield { sql, values: Object.values(row) }
    }
  for (const { sql } of parts.filter(({ type }) => type !== 'table')) yield { sql, values: [] }
}
