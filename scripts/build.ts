// `npm run build`: the page and the Worker, then the first-load budget. Everything `start` needs ends up in dist/ and .cache/.
// Afterwards plain `wrangler dev` in the root serves the build.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { firstLoadBudgetBytes, firstLoadEntries } from './first-load.ts'
import { type Manifest, measure, report, staticClosure } from './lib/budget.ts'
import { fail } from './lib/console.ts'
import { underLock } from './lib/lock.ts'
import { cacheDir, clientDir, manifestFile, rootDir, serveFile, workerDir } from './lib/paths.ts'
import { isClientSetting, readSettings } from './lib/settings.ts'
import { hashOf, stamp } from './lib/sources.ts'
import { prepareWranglerDev, redirectWrangler } from './lib/wrangler-dev.ts'

const buildLock = join(cacheDir, 'build.lock')
const sources = ['web', 'worker', 'scripts', 'vite.config.ts', 'wrangler.jsonc', 'package-lock.json', 'tsconfig.base.json']

/** Builds when the sources differ from the last successful build. Two starts at once build once. */
export async function buildWhenStale(): Promise<'built' | 'fresh'> {
  return underLock(buildLock, async () => {
    const built = buildStamp()
    if (built.isFresh()) return 'fresh'
    await build()
    return 'built'
  })
}

async function build() {
  const stampBefore = buildStamp()
  // Vite reads these from the environment; a `.dev.vars` counts as well.
  for (const [name, value] of clientSettings()) process.env[name] = value
  const { createBuilder } = await import('vite')
  const builder = await createBuilder({ configFile: join(rootDir, 'vite.config.ts'), mode: 'production', logLevel: 'warn' })
  await builder.buildApp()
  rmSync(join(workerDir, '.dev.vars'), { force: true })
  keepManifest()
  await writeServeFile()
  redirectWrangler()
  const verdict = report(measure(clientDir, staticClosure(readManifest(), firstLoadEntries)), firstLoadBudgetBytes)
  console.log(verdict.text)
  if (!verdict.isWithin) throw new Error('the first load is over its budget; move what is not needed for the first screen behind import()')
  stampBefore.remember()
}

/** Client settings are part of the hash: they are baked into the page. The variables of the Worker are not, they arrive at start. */
function buildStamp() {
  const settings = clientSettings().map(([name, value]) => `${name}=${value}`)
  // In dist/, so that deleting the build deletes the belief in it.
  return stamp(join(rootDir, 'dist', 'sources-hash'), hashOf(sources, settings))
}

function clientSettings() {
  return Object.entries(readSettings()).filter(([name]) => isClientSetting(name))
}

/** Which chunks exist is nothing to publish. */
function keepManifest() {
  mkdirSync(dirname(manifestFile), { recursive: true })
  renameSync(join(clientDir, '.vite', 'manifest.json'), manifestFile)
  rmSync(join(clientDir, '.vite'), { recursive: true })
  rmSync(join(workerDir, '.vite'), { recursive: true, force: true })
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
}

/** Wrangler translates its configuration into Miniflare's options here, once, because importing it costs every start half a second. */
async function writeServeFile() {
  const { unstable_getMiniflareWorkerOptions: miniflareOptions } = await import('wrangler')
  const { workerOptions } = miniflareOptions(join(workerDir, 'wrangler.json'))
  writeFileSync(serveFile, JSON.stringify(workerOptions, null, 2))
}

if (import.meta.main) {
  const buildForWrangler = () => build().then(() => prepareWranglerDev())
  const work = process.argv.includes('--when-stale') ? buildWhenStale() : underLock(buildLock, buildForWrangler)
  await work.catch(fail('Parley: the build failed'))
}
