// Starts the upload of a deployment in workerd: its modules, its static files, the bindings of its metadata, and a migrated D1.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4WorkerOptions } from 'miniflare'
import { unstable_splitSqlQuery as split } from 'wrangler'
import { migrationNames, migrationText } from '../../scripts/lib/migration-files.ts'
import type { Binding, Metadata, Worker } from './peers/cloudflare-account.ts'

export type Deployed = { readonly fetch: (path: string, init?: RequestInit) => Promise<Response>; stop(): Promise<void> }

/** `port`: any free one by default. */
export async function startDeployed(worker: Worker, port = 0): Promise<Deployed> {
  const version = worker.versions.at(-1)
  if (!version) throw new Error('nothing is deployed')
  const directory = mkdtempSync(join(tmpdir(), 'parley-deployed-'))
  for (const [path, content] of worker.files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  const { main_module, bindings, compatibility_date, compatibility_flags } = version.metadata
  const modules = [...version.modules].sort(([a], [b]) => Number(b === main_module) - Number(a === main_module))
  const options: V4WorkerOptions = {
    ...bound(version.metadata, worker, directory),
    name: 'deployed',
    compatibilityDate: compatibility_date,
    compatibilityFlags: [...compatibility_flags],
    modulesRoot: '/',
    modules: modules.map(([path, contents]) => ({ type: 'ESModule', path: join('/', path), contents })),
  }
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host: '127.0.0.1',
      port,
      cf: false,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: () => undefined,
      workers: [options],
    }),
  )
  const origin = await miniflare.ready
  await migrateDatabases(miniflare, bindings)
  return {
    fetch: (path, init = {}) => fetch(new URL(path, origin), { redirect: 'manual', ...init }),
    stop: async () => {
      await miniflare.dispose()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function bound({ bindings, assets }: Metadata, worker: Worker, directory: string): Partial<V4WorkerOptions> {
  const of = (type: string, field: string) =>
    Object.fromEntries(bindings.filter((binding) => binding.type === type).map((binding) => [binding.name, String(binding[field])]))
  const objects = Object.entries(of('durable_object_namespace', 'class_name'))
  return {
    bindings: { ...of('plain_text', 'text'), ...Object.fromEntries(worker.secrets) },
    d1Databases: of('d1', 'id'),
    kvNamespaces: of('kv_namespace', 'namespace_id'),
    r2Buckets: of('r2_bucket', 'bucket_name'),
    durableObjects: Object.fromEntries(objects.map(([name, className]) => [name, { className, useSQLite: true }])),
    assets: {
      directory,
      binding: bindings.find(({ type }) => type === 'assets')?.name ?? '',
      run_worker_first: [...(assets?.config.run_worker_first ?? [])],
      routerConfig: { has_user_worker: true },
    },
  }
}

async function migrateDatabases(miniflare: Miniflare, bindings: readonly Binding[]): Promise<void> {
  for (const { type, name } of bindings) {
    if (type !== 'd1') continue
    const database = await miniflare.getD1Database(name)
    const statements = migrationNames().flatMap((migration) => split(migrationText(migration)))
    await database.batch(statements.map((sql) => database.prepare(sql)))
  }
}
