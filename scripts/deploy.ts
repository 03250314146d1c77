// `npm run deploy`: deploys this checkout to Cloudflare (docs/deployment.md). It creates missing resources, applies migrations, uploads,
// and prints the remaining steps. Every step checks the current state first, so the next run completes an interrupted one. `--dry-run`
// packs the upload without external changes; `--no-build` uses the existing dist/.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildWhenStale } from './build.ts'
import { addressOf, signIn } from './deploy/account.ts'
import { ask } from './deploy/ask.ts'
import { disabledIn, judge, type Missing, makeUp, readGiven, writeDown } from './deploy/production-settings.ts'
import { applyRemoteMigrations } from './deploy/remote-migrations.ts'
import { ensureResources, writeId } from './deploy/resources.ts'
import { secretsOf, upload } from './deploy/worker.ts'
import { fail } from './lib/console.ts'
import { productionDir, prodVarsFile, wranglerFile } from './lib/paths.ts'
import { run } from './lib/run.ts'
import type { Settings } from './lib/settings.ts'
import { readWranglerConfig } from './lib/wrangler-config.ts'

const say = (line: string) => console.log(`Parley: ${line}.`)

async function deploy() {
  // Build first, so that a build error leaves nothing half deployed.
  if (!process.argv.includes('--no-build')) await buildWhenStale('production')
  if (!existsSync(join(productionDir, 'wrangler.json'))) throw new Error('dist/ holds no build; leave --no-build away')
  if (process.argv.includes('--dry-run')) return dryRun()

  const config = readWranglerConfig(wranglerFile)
  const cloudflare = await signIn(process.env)
  const address = await addressOf(cloudflare, config)
  const known = await secretsOf(cloudflare, config.name)
  const { settings, missing } = await settle(config.vars, known, address)

  const hasFiles = !disabledIn(config.vars).includes('files')
  const ids = await ensureResources(cloudflare, config, hasFiles, (what, id) => {
    if (id) writeId(wranglerFile, id.placeholder, id.id)
    say(id ? `${what} and wrote its id into wrangler.jsonc (commit that)` : what)
  })
  for (const { binding } of config.d1_databases) {
    const applied = await applyRemoteMigrations(cloudflare, ids[binding] ?? '', { note: say })
    say(applied.length === 0 ? 'every migration is applied' : `applied ${applied.join(', ')}`)
  }
  await upload(cloudflare, { config, ids, hasFiles, settings })
  if (Object.keys(settings).length > 0) say(`put ${Object.keys(settings).join(', ')}`)
  lastWords(address, missing)
}

async function dryRun() {
  const { status } = await run('wrangler', ['deploy', '--dry-run', '--config', join(productionDir, 'wrangler.json')], { show: true })
  if (status !== 0) throw new Error('wrangler could not pack it')
}

/** The settings of this deployment, and those that are still missing. Throws for values that the Worker would refuse. */
async function settle(vars: Settings, known: ReadonlySet<string>, address: string): Promise<{ settings: Settings; missing: Missing[] }> {
  const keep = (settings: Settings) => writeDown(prodVarsFile, settings)
  const before = judge(vars, readGiven(prodVarsFile), known)
  const made = makeUp(before.missing)
  keep(made)
  if (Object.keys(made).length > 0)
    say(`made up ${Object.keys(made).join(' and ')}; what they are stands in .prod.vars, on this machine alone`)
  // `PUBLIC_URL` defaults to the address of the deployment.
  const base = before.missing.some(({ name }) => name === 'PUBLIC_URL') ? { PUBLIC_URL: address } : {}
  const isAnswered = (name: string) => name in made || name in base
  const open = before.missing.filter(({ name }) => !isAnswered(name))
  if (open.length > 0 && process.stdin.isTTY && process.stdout.isTTY)
    await ask(open, keep, { input: process.stdin, output: process.stdout })
  const settings = { ...base, ...readGiven(prodVarsFile) }
  const { wrong, missing } = judge(vars, settings, known)
  if (wrong.length > 0) throw new Error(`${wrong.join('; ')}. Mend it in .prod.vars or wrangler.jsonc`)
  return { settings, missing }
}

function lastWords(address: string, missing: readonly Missing[]) {
  if (missing.length > 0) {
    console.log('\nThe Worker is there, and says on every page what it still lacks. Add these to .prod.vars and deploy again')
    console.log('(or switch the feature off by name: "DISABLED_FEATURES" in the vars of wrangler.jsonc):')
    for (const { name, line } of missing) console.log(`  ${name.padEnd(24)}${line}`)
  }
  console.log(`\nParley is deployed at ${address}. ${address}/api/setup tries every part and says what needs you.`)
}

await deploy().catch(fail('Parley was not deployed'))
