// `npm run deploy`: deploys this checkout to Cloudflare with wrangler (docs/deployment.md). It creates missing resources, applies migrations,
// uploads, checks the deployment, and lists what is switched off. `-- enable NAME` first asks for the settings of a feature and checks them.
// Every step checks the current state first, so the next run completes an interrupted one. `--dry-run` packs the upload without external
// changes; `--no-build` uses the existing dist/; `--no-check` skips the check of the deployment.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { enableCommand, type Feature, featureNotes, features } from '../worker/setting-definitions.ts'
import { buildWhenStale } from './build.ts'
import { deploymentProblems } from './deploy/check-deployment.ts'
import {
  appendSettings,
  ask,
  featuresOff,
  generateSecrets,
  isKnown,
  type Known,
  missingReason,
  missingSetting,
  readGiven,
  type Terminal,
  uploadedVars,
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
import { readWranglerConfig, type WranglerConfig, withoutDisabledFeature } from './lib/wrangler-config.ts'

const log = (line: string) => console.log(`Parley: ${line}.`)
const save = (settings: Settings) => appendSettings(prodVarsFile, settings)

const terminal: Terminal | null = process.stdin.isTTY && process.stdout.isTTY ? { input: process.stdin, output: process.stdout } : null

async function deploy() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'no-build': { type: 'boolean' }, 'dry-run': { type: 'boolean' }, 'no-check': { type: 'boolean' } },
  })
  const feature = featureToEnable(positionals)
  // Build first, so that a build error leaves nothing half deployed.
  if (!options['no-build']) await buildWhenStale('production')
  if (!existsSync(join(productionDir, 'wrangler.json'))) throw new Error('dist/ contains no build; run without --no-build')
  if (options['dry-run']) return dryRun()

  // A build of Cloudflare (Workers Builds) deploys to the Worker that it belongs to, which is empty before its first deployment.
  const stored = await storedSecrets(readWranglerConfig(wranglerFile).name, { isOwn: process.env.WORKERS_CI === '1' })
  if (feature !== null) await enable(feature, stored)
  const config = readWranglerConfig(wranglerFile)
  const known = await completeSettings(config, stored)
  const given = Object.keys(known.given)

  const databases = config.d1_databases.map(({ database_name }) => database_name)
  await ensureDatabases(config.d1_databases, log)
  const namespaces: Record<string, string> = {}
  for (const { binding, id } of config.kv_namespaces)
    namespaces[binding] = id ?? (await ensureNamespace(`${config.name}-${binding.toLowerCase().replaceAll('_', '-')}`, log))
  const off = featuresOff(known)
  const hasFiles = !off.includes('files')
  if (hasFiles) for (const { bucket_name } of config.r2_buckets) await ensureBucket(bucket_name, log)
  for (const database of databases) await applyMigrations(database, log)
  const secrets = given.length > 0 ? prodVarsFile : null
  const workersDevUrl = await uploadWorker({ config, vars: uploadedVars(known), namespaces, hasFiles, secrets })
  if (given.length > 0) log(`stored ${given.join(', ')}`)
  // The first upload of the Worker determines its address.
  if (!isKnown(known, 'PUBLIC_URL')) {
    if (workersDevUrl === undefined)
      throw new Error('the Worker has no workers.dev address; add PUBLIC_URL to .prod.vars and run the command again')
    save({ PUBLIC_URL: workersDevUrl })
    await putSecrets(prodVarsFile)
    log(`stored PUBLIC_URL=${workersDevUrl}`)
  }
  const publicUrl = known.given.PUBLIC_URL ?? known.vars.PUBLIC_URL ?? customDomain(config) ?? workersDevUrl
  const address = publicUrl?.replace(/\/+$/, '')
  printOff(off)
  const isChecked = !options['no-check']
  if (isChecked && !(await isWorking(address, { worker: config.name, isFirst: stored.size === 0 }))) process.exit(1)
  const url = address ?? 'PUBLIC_URL'
  console.log(`\nParley is deployed at ${url}. ${url}/api/setup checks every part.`)
}

async function dryRun() {
  const { status } = await run('wrangler', ['deploy', '--dry-run', '--config', join(productionDir, 'wrangler.json')], { show: true })
  if (status !== 0) throw new Error('wrangler could not pack it')
}

/** The feature of `enable NAME`, or null. */
function featureToEnable([command, name, ...rest]: readonly string[]): Feature | null {
  if (command === undefined) return null
  const names = features.map((feature) => featureNotes[feature].name)
  const feature = features.find((one) => name === one || name === featureNotes[one].name)
  if (command === 'enable' && feature !== undefined && rest.length === 0) return feature
  throw new Error(`the only command is \`npm run deploy -- enable NAME\`, with one of these names: ${names.join(', ')}`)
}

/** Stores the settings of the feature in `.prod.vars` once its provider accepts them, and removes the feature from wrangler.jsonc. */
async function enable(feature: Feature, stored: ReadonlySet<string>) {
  // Loaded only here, with the checks of the setup page and the SDK of Stripe.
  const { settingsToEnable } = await import('./deploy/enable-feature.ts')
  const config = readWranglerConfig(wranglerFile)
  const given = readGiven(prodVarsFile)
  const address = customDomain(config)
  const vars = { ...(address && { PUBLIC_URL: address }), ...config.vars }
  save(await settingsToEnable(feature, { vars, given, stored }, { terminal, log }))
  const text = readFileSync(wranglerFile, 'utf8')
  const changed = withoutDisabledFeature(text, feature)
  if (changed === text) return
  writeFileSync(wranglerFile, changed)
  log(`removed ${feature} from DISABLED_FEATURES in wrangler.jsonc`)
}

/** Completes `.prod.vars`. Throws for settings that the Worker would refuse, because every page would then show an error. */
async function completeSettings({ vars, ...config }: WranglerConfig, stored: ReadonlySet<string>): Promise<Known> {
  const known = (): Known => ({ vars, given: readGiven(prodVarsFile), stored })
  const made = generateSecrets(known())
  save(made)
  if (Object.keys(made).length > 0) log(`generated ${Object.keys(made).join(' and ')} in .prod.vars`)
  const isUrlMissing = () => validateSettings(known()).missing.some(({ name }) => name === 'PUBLIC_URL')
  const domain = customDomain({ vars, ...config })
  if (domain !== undefined && isUrlMissing()) save({ PUBLIC_URL: domain })
  if (terminal && isUrlMissing()) {
    console.log('\nThe address of this deployment. Press Enter to use the one that Cloudflare gives it.')
    await ask([missingSetting('PUBLIC_URL')], save, terminal)
  }
  const { wrong, missing } = validateSettings(known())
  const reasons = [...wrong, ...missing.filter(({ name }) => name !== 'PUBLIC_URL').map(missingReason)]
  if (reasons.length > 0) throw new Error(`${reasons.join('; ')}. Correct it in .prod.vars or wrangler.jsonc`)
  return known()
}

function customDomain({ routes = [] }: WranglerConfig): string | undefined {
  for (const route of routes) if (typeof route === 'object' && route.custom_domain) return `https://${route.pattern}`
  return undefined
}

function printOff(off: readonly Feature[]) {
  if (off.length === 0) return
  console.log('\nSwitched off, because it is not set up (DISABLED_FEATURES):')
  for (const feature of off)
    console.log(`  ${featureNotes[feature].name.padEnd(10)}${featureNotes[feature].brings}\n  ${''.padEnd(10)}${enableCommand(feature)}`)
}

async function isWorking(address: string | undefined, { worker, isFirst }: { worker: string; isFirst: boolean }): Promise<boolean> {
  if (address === undefined) {
    log('PUBLIC_URL is stored at Cloudflare and cannot be read back, so the deployment was not checked; open its /api/setup')
    return true
  }
  log(`checking ${address}`)
  const problems = await deploymentProblems(address)
  if (problems.length === 0) return true
  console.error(`\nParley is uploaded, but it does not work:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
  console.error(
    isFirst
      ? 'This is its first version, so there is none to roll back to. Fix the cause and run the command again.'
      : `Roll back to the version before with: npx wrangler rollback --name ${worker}`,
  )
  return false
}

await deploy().catch(fail('Parley was not deployed'))
