// `npm run deploy`: deploys this checkout to Cloudflare with wrangler (docs/deployment.md). It asks for missing settings, creates missing
// resources, applies migrations, uploads, and prints the remaining steps. Every step checks the current state first, so the next run
// completes an interrupted one. `--dry-run` packs the upload without external changes; `--no-build` uses the existing dist/.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildWhenStale } from './build.ts'
import {
  appendSettings,
  ask,
  disabledIn,
  generateSecrets,
  type Missing,
  readGiven,
  validateSettings,
} from './deploy/production-settings.ts'
import {
  applyMigrations,
  ensureBucket,
  ensureDatabases,
  ensureNamespace,
  putSecrets,
  storedSecrets,
  uploadWorker,
} from './deploy/wrangler.ts'
import { fail } from './lib/console.ts'
import { productionDir, prodVarsFile, wranglerFile } from './lib/paths.ts'
import { run } from './lib/run.ts'
import type { Settings } from './lib/settings.ts'
import { readWranglerConfig, type WranglerConfig } from './lib/wrangler-config.ts'

const log = (line: string) => console.log(`Parley: ${line}.`)
const save = (settings: Settings) => appendSettings(prodVarsFile, settings)

async function deploy() {
  // Build first, so that a build error leaves nothing half deployed.
  if (!process.argv.includes('--no-build')) await buildWhenStale('production')
  if (!existsSync(join(productionDir, 'wrangler.json'))) throw new Error('dist/ contains no build; run without --no-build')
  if (process.argv.includes('--dry-run')) return dryRun()

  const config = readWranglerConfig(wranglerFile)
  const stored = await storedSecrets(config.name)
  const { given, missing } = await completeSettings(config, stored)

  const databases = config.d1_databases.map(({ database_name }) => database_name)
  await ensureDatabases(databases, log)
  const namespaces: Record<string, string> = {}
  for (const { binding } of config.kv_namespaces)
    namespaces[binding] = await ensureNamespace(`${config.name}-${binding.toLowerCase().replaceAll('_', '-')}`, log)
  const hasFiles = !disabledIn(config.vars).includes('files')
  if (hasFiles) for (const { bucket_name } of config.r2_buckets) await ensureBucket(bucket_name, log)
  for (const database of databases) await applyMigrations(database, log)
  const address = await uploadWorker({ config, namespaces, hasFiles, secrets: given.length > 0 ? prodVarsFile : null })
  if (given.length > 0) log(`stored ${given.join(', ')}`)
  // The first upload of the Worker determines its address.
  const isWithoutUrl = missing.some(({ name }) => name === 'PUBLIC_URL')
  if (isWithoutUrl && address !== undefined) {
    save({ PUBLIC_URL: address })
    await putSecrets(prodVarsFile)
    log(`stored PUBLIC_URL=${address}`)
  }
  printRemaining(
    customDomain(config) ?? address,
    missing.filter(({ name }) => name !== 'PUBLIC_URL' || address === undefined),
  )
}

async function dryRun() {
  const { status } = await run('wrangler', ['deploy', '--dry-run', '--config', join(productionDir, 'wrangler.json')], { show: true })
  if (status !== 0) throw new Error('wrangler could not pack it')
}

/** Completes `.prod.vars`. Returns the names in it and the settings that are still missing. Throws for values that the Worker would refuse. */
async function completeSettings(config: WranglerConfig, stored: ReadonlySet<string>): Promise<{ given: string[]; missing: Missing[] }> {
  const { vars } = config
  const before = validateSettings(vars, readGiven(prodVarsFile), stored)
  const made = generateSecrets(before.missing)
  save(made)
  if (Object.keys(made).length > 0) log(`generated ${Object.keys(made).join(' and ')} in .prod.vars`)
  const domain = customDomain(config)
  const isWithoutUrl = before.missing.some(({ name }) => name === 'PUBLIC_URL')
  if (domain !== undefined && isWithoutUrl) save({ PUBLIC_URL: domain })
  const open = before.missing.filter(({ name }) => !(name in made) && name !== 'PUBLIC_URL')
  if (open.length > 0 && process.stdin.isTTY && process.stdout.isTTY)
    await ask(open, save, { input: process.stdin, output: process.stdout })
  const given = readGiven(prodVarsFile)
  const { wrong, missing } = validateSettings(vars, given, stored)
  if (wrong.length > 0) throw new Error(`${wrong.join('; ')}. Correct it in .prod.vars or wrangler.jsonc`)
  return { given: Object.keys(given), missing }
}

function customDomain({ routes = [] }: WranglerConfig): string | undefined {
  for (const route of routes) if (typeof route === 'object' && route.custom_domain) return `https://${route.pattern}`
  return undefined
}

function printRemaining(address: string | undefined, missing: readonly Missing[]) {
  if (missing.length > 0) {
    console.log('\nEvery page of the Worker lists the settings that are missing. Add these to .prod.vars and deploy again')
    console.log('(or disable the feature by name: "DISABLED_FEATURES" in the vars of wrangler.jsonc):')
    for (const { name, line } of missing) console.log(`  ${name.padEnd(24)}${line}`)
  }
  const url = address ?? 'PUBLIC_URL'
  console.log(`\nParley is deployed at ${url}. ${url}/api/setup checks every part and shows which settings need attention.`)
}

await deploy().catch(fail('Parley was not deployed'))
