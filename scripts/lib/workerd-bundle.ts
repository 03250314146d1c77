// Bundles tests/workerd/entry.ts (the Worker plus the tests' own subclasses) once, with the product's own build pipeline. Importing the
// sources instead would make every test file transform better-auth and the AI SDK again: 15 s instead of 3.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { underLock } from './lock.ts'
import { cacheDir, clientDir, rootDir, wranglerFile } from './paths.ts'
import { hashOf, stamp } from './sources.ts'

const bundlesDir = join(cacheDir, 'workerd-tests')
const entryDir = join(rootDir, 'tests', 'workerd')
/** Without dot folders: the plugin leaves notes about the last bundle there. */
const entrySources = readdirSync(entryDir).filter((name) => !name.startsWith('.'))
const sources = [
  ...['worker', 'wrangler.jsonc', 'package-lock.json', 'scripts/lib/workerd-bundle.ts'],
  'tests/support/todo-app',
  ...entrySources.map((name) => join(entryDir, name)),
]

/**
 * Returns the Worker under test, as wrangler configuration. A bundle is never written again: a run that began before the last change
 * still reads its own, while a run after it makes another.
 */
export async function bundleTestWorker(): Promise<string> {
  const hash = hashOf(sources, [`page=${existsSync(clientDir)}`])
  const outDir = join(bundlesDir, hash.slice(0, 16))
  // The plugin names the folder after the Worker.
  const config = join(outDir, 'parley', 'wrangler.json')
  const made = stamp(join(outDir, 'hash'), hash)
  mkdirSync(bundlesDir, { recursive: true })
  await underLock(join(cacheDir, 'workerd-tests.lock'), async () => {
    if (made.isFresh()) return
    forgetOldBundles()
    await bundle(outDir)
    finish(config)
    made.remember()
  })
  return config
}

async function bundle(outDir: string): Promise<void> {
  const [{ createBuilder }, { cloudflare }] = await Promise.all([import('vite'), import('@cloudflare/vite-plugin')])
  const builder = await createBuilder({
    configFile: false,
    root: entryDir,
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
    plugins: [
      cloudflare({
        configPath: wranglerFile,
        remoteBindings: false,
        config: (worker) => {
          worker.main = join(entryDir, 'entry.ts')
          // A second application on the sync server (tests/support/todo-app).
          worker.durable_objects?.bindings.push({ name: 'TODO_SYNC', class_name: 'TodoSync' })
          worker.migrations?.[0]?.new_sqlite_classes?.push('TodoSync')
          worker.vars = { ...worker.vars, ENVIRONMENT: 'development', BETTER_AUTH_SECRET: 'a secret that only tests ever see' }
        },
      }),
    ],
  })
  await builder.buildApp()
}

/** Longer than any run that may still read one. */
const bundleKeptMs = 60 * 60_000

function forgetOldBundles(): void {
  for (const name of readdirSync(bundlesDir)) {
    const path = join(bundlesDir, name)
    if (Date.now() - statSync(path).mtimeMs > bundleKeptMs) rmSync(path, { recursive: true, force: true })
  }
}

/** What the runner and the tests need beyond what the build writes. */
function finish(configFile: string): void {
  const config = JSON.parse(readFileSync(configFile, 'utf8')) as BuiltConfig
  const main = writeEntry(dirname(configFile), config)
  writeFileSync(configFile, JSON.stringify({ ...config, main, assets: builtPage(config) }))
}

type BuiltConfig = {
  readonly main: string
  readonly assets?: object
  readonly durable_objects: { readonly bindings: readonly { readonly class_name: string }[] }
}

/** For every test file the runner parses the entry to see what it exports. These are the same names, without the four megabytes behind them. */
function writeEntry(directory: string, { main, durable_objects }: BuiltConfig): string {
  const name = 'entry.js'
  const names = ['default', ...new Set(durable_objects.bindings.map(({ class_name }) => class_name))]
  writeFileSync(join(directory, name), `export { ${names.join(', ')} } from './${main}'\n`)
  return name
}

/** Pages need the built client. Without one (`vitest` by hand, before any build) only tests of pages can tell. */
function builtPage({ assets }: BuiltConfig): object | undefined {
  return existsSync(clientDir) ? { binding: 'ASSETS', ...assets, directory: clientDir } : undefined
}
