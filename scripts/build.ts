// `npm run build`: builds the page, the Worker of local runs and the Worker of a deployment, and checks the budgets of the first load. `start` and
// `deploy` need only dist/ and .cache/ afterwards. Of plain wrangler commands in the root, `dev` serves the local Worker and `deploy` uploads
// the Worker of a deployment.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { budgets } from './first-load.ts'
import { type Manifest, measure, report, staticClosure } from './lib/budget.ts'
import { fail } from './lib/console.ts'
import { underLock } from './lib/lock.ts'
import { cacheDir, clientDir, distDir, edgeFile, manifestFile, productionDir, rootDir, serveFile, workerDir } from './lib/paths.ts'
import { prepareWranglerDev, redirectWrangler } from './lib/plain-wrangler.ts'
import { buildServiceWorker } from './lib/service-worker.ts'
import { isClientSetting, readSettings } from './lib/settings.ts'
import { hashOf, stamp } from './lib/sources.ts'
import { reportName, serviceWorkerReport, writeNotices } from './lib/third-party-notices.ts'

const buildLock = join(cacheDir, 'build.lock')
const sources = ['web', 'worker', 'scripts', 'vite.config.ts', 'wrangler.jsonc', 'package-lock.json', 'tsconfig.base.json']

/** `local`: the page and a Worker with stand-ins. `production`: also the Worker of a deployment. */
type BuildTarget = 'local' | 'production'

/** Builds if the sources differ from the last successful build. Concurrent starts build once. */
export async function buildWhenStale(target: BuildTarget): Promise<void> {
  await underLock(buildLock, async () => {
    if (!isBuilt('local')) await buildLocal()
    if (!isBuilt(target)) await buildProductionWorker()
  })
}

/** True if the last successful build had the same sources. */
export function isBuilt(target: BuildTarget): boolean {
  return buildStamp(distDir).isUpToDate() && (target === 'local' || buildStamp(productionDir).isUpToDate())
}

async function build() {
  await buildLocal()
  await buildProductionWorker()
}

async function buildLocal() {
  const stampBefore = buildStamp(distDir)
  // It belongs to the page that this build replaces.
  rmSync(productionDir, { recursive: true, force: true })
  await (await viteBuilder('development')).buildApp()
  rmSync(join(workerDir, '.dev.vars'), { force: true })
  keepManifest()
  await buildServiceWorker(readManifest())
  writeNotices(readManifest(), [join(clientDir, reportName), join(clientDir, serviceWorkerReport), join(workerDir, reportName)])
  for (const dir of [clientDir, workerDir]) rmSync(join(dir, '.vite'), { recursive: true, force: true })
  await writeServeFile()
  const verdicts = budgets.map((budget) => report(measure(clientDir, staticClosure(readManifest(), budget.entries)), budget))
  for (const { text } of verdicts) console.log(text)
  if (verdicts.some(({ isWithin }) => !isWithin))
    throw new Error('the first load is over its budget; move what is not needed for the first screen behind import()')
  stampBefore.remember()
}

/** Reuses the page of the local build. */
async function buildProductionWorker() {
  const stampBefore = buildStamp(productionDir)
  await buildEdge()
  const builder = await viteBuilder('production')
  const worker = builder.environments.parley
  if (worker === undefined) throw new Error('vite.config.ts has no environment parley')
  await builder.build(worker)
  for (const leftover of ['.dev.vars', '.vite']) rmSync(join(productionDir, leftover), { recursive: true, force: true })
  redirectWrangler()
  stampBefore.remember()
}

/** One file without imports, so that removing its types suffices. */
async function buildEdge() {
  const { transformWithOxc } = await import('vite')
  const source = join(rootDir, 'worker/edge.ts')
  writeFileSync(edgeFile, (await transformWithOxc(readFileSync(source, 'utf8'), source)).code)
}

/** The mode chooses the entry of the Worker (vite.config.ts). The page and minification are those of production in both modes. */
async function viteBuilder(mode: 'development' | 'production') {
  // Vite reads these from the environment; values of `.dev.vars` also apply.
  for (const [name, value] of clientSettings()) process.env[name] = value
  const { createBuilder } = await import('vite')
  return createBuilder({ configFile: join(rootDir, 'vite.config.ts'), mode, logLevel: 'warn' })
}

/** The hash includes client settings, because the build inlines them. It excludes the Worker's variables, which are set at start. */
function buildStamp(dir: string) {
  const settings = clientSettings().map(([name, value]) => `${name}=${value}`)
  // Inside the build, so that deleting the build deletes its stamp.
  return stamp(join(dir, 'sources-hash'), hashOf(sources, settings))
}

function clientSettings() {
  return Object.entries(readSettings()).filter(([name]) => isClientSetting(name))
}

/** The manifest lists all chunks. It is not published, like the rest of its folder. */
function keepManifest() {
  mkdirSync(dirname(manifestFile), { recursive: true })
  renameSync(join(clientDir, '.vite', 'manifest.json'), manifestFile)
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(manifestFile, 'utf8')) as Manifest
}

/**
 * Converts wrangler's configuration to Miniflare's options at build time, because importing wrangler would add half a second to every
 * start.
 */
async function writeServeFile() {
  const { unstable_getMiniflareWorkerOptions: miniflareOptions } = await import('wrangler')
  const { workerOptions } = miniflareOptions(join(workerDir, 'wrangler.json'))
  writeFileSync(serveFile, JSON.stringify(workerOptions, null, 2))
}

if (import.meta.main) {
  const buildForWrangler = () => build().then(() => prepareWranglerDev())
  const target = process.argv.includes('--local') ? 'local' : 'production'
  const work = process.argv.includes('--when-stale') ? buildWhenStale(target) : underLock(buildLock, buildForWrangler)
  await work.catch(fail('Parley: the build failed'))
}
