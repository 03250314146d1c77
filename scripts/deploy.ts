// `npm run deploy`: puts this checkout on Cloudflare. Makes the D1 database, the KV namespace and the R2 bucket the first time and writes
// the ids into wrangler.jsonc (commit that), applies migrations, builds, deploys, and names the secrets that are still missing.
// `--dry-run` builds and packs what would be uploaded, and touches nothing outside.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { settingFacts } from '../worker/env-settings.ts'
import { buildWhenStale } from './build.ts'
import { fail } from './lib/console.ts'
import { workerDir, wranglerFile } from './lib/paths.ts'
import { run } from './lib/run.ts'
import { readWranglerConfig } from './lib/wrangler-config.ts'

/** What wrangler.jsonc holds until the first deployment. */
const isPlaceholder = (id: string) => /^[0-]+$/.test(id)

async function deploy() {
  if (process.argv.includes('--dry-run')) {
    await buildWhenStale()
    return wrangler(['deploy', '--dry-run', '--config', join(workerDir, 'wrangler.json')])
  }
  await assertSignedIn()
  await ensureDatabase()
  await ensureNamespace()
  await ensureBuckets()
  await buildWhenStale()
  const { name, d1_databases } = readWranglerConfig(wranglerFile)
  for (const { database_name } of d1_databases) await wrangler(['d1', 'migrations', 'apply', database_name, '--remote'])
  await wrangler(['deploy', '--config', join(workerDir, 'wrangler.json')])
  await nameMissingSecrets(name)
}

async function assertSignedIn() {
  const { status } = await run('wrangler', ['whoami', '--json'])
  if (status === 0) return
  throw new Error('no Cloudflare account to deploy to; set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID), or run `npx wrangler login`')
}

async function ensureDatabase() {
  for (const { database_name, database_id } of readWranglerConfig(wranglerFile).d1_databases) {
    if (!isPlaceholder(database_id)) continue
    const find = async () => {
      const databases = await wranglerJson<{ name: string; uuid: string }[]>(['d1', 'list', '--json'])
      return databases.find((database) => database.name === database_name)?.uuid
    }
    writeId(database_id, (await find()) ?? (await create(['d1', 'create', database_name], find)))
  }
}

async function ensureNamespace() {
  const { name, kv_namespaces } = readWranglerConfig(wranglerFile)
  for (const { binding, id } of kv_namespaces) {
    if (!isPlaceholder(id)) continue
    const title = `${name}-${binding.toLowerCase()}`
    const find = async () => {
      const namespaces = await wranglerJson<{ title: string; id: string }[]>(['kv', 'namespace', 'list'])
      return namespaces.find((namespace) => namespace.title === title)?.id
    }
    writeId(id, (await find()) ?? (await create(['kv', 'namespace', 'create', title], find)))
  }
}

/** Known by name alone, so nothing has to be written down. */
async function ensureBuckets() {
  const { r2_buckets, vars } = readWranglerConfig(wranglerFile)
  if ((vars.DISABLED_FEATURES ?? '').split(',').includes('files')) return
  for (const { bucket_name } of r2_buckets) {
    const { status } = await run('wrangler', ['r2', 'bucket', 'info', bucket_name])
    if (status !== 0) await wrangler(['r2', 'bucket', 'create', bucket_name])
  }
}

/** Found by name first, so that a deployment that failed half way does not make a second database. */
async function create(command: readonly string[], find: () => Promise<string | undefined>): Promise<string> {
  await wrangler(command)
  const id = await find()
  if (id === undefined) throw new Error(`\`wrangler ${command.join(' ')}\` succeeded, but what it made is not in the list`)
  return id
}

function writeId(placeholder: string, id: string) {
  writeFileSync(wranglerFile, readFileSync(wranglerFile, 'utf8').replace(`"${placeholder}"`, `"${id}"`))
  console.log(`Parley: wrote ${id} into wrangler.jsonc; commit it.`)
}

/** The Worker refuses to run without them and says so on its error page; saying it here saves a visit. */
async function nameMissingSecrets(workerName: string) {
  const secrets = await wranglerJson<{ name: string }[]>(['secret', 'list', '--name', workerName])
  const { vars } = readWranglerConfig(wranglerFile)
  const known = new Set([...secrets.map(({ name }) => name), ...Object.keys(vars)])
  const disabled = (vars.DISABLED_FEATURES ?? '').split(',')
  const required = Object.entries(settingFacts).filter(([, facts]) => 'isRequired' in facts && !disabled.includes(facts.feature))
  const missing = required.filter(([name]) => !known.has(name))
  if (missing.length === 0) return
  console.log('\nStill missing (or switch the feature off by name in DISABLED_FEATURES):')
  for (const [name, { line }] of missing) console.log(`  npx wrangler secret put ${name.padEnd(24)}${line}`)
}

async function wrangler(args: readonly string[]): Promise<void> {
  const { status } = await run('wrangler', args, { show: true })
  if (status !== 0) throw new Error(`\`wrangler ${args.join(' ')}\` failed`)
}

async function wranglerJson<Result>(args: readonly string[]): Promise<Result> {
  const { status, output } = await run('wrangler', args)
  if (status !== 0) throw new Error(`\`wrangler ${args.join(' ')}\` failed:\n${output}`)
  return JSON.parse(output.slice(output.indexOf('['))) as Result
}

await deploy().catch(fail('Parley was not deployed'))
