// Bundles tests/workerd/entry.ts (the Worker plus subclasses for tests) once with the product's build pipeline. Importing the sources would
// transform better-auth and the AI SDK for every test file: 15 s instead of 3.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { underLock } from './lock.ts'
import { cacheDir, clientDir, rootDir, wranglerFile } from './paths.ts'
import { hashOf, stamp } from './sources.ts'
import { removeRemoteBindings } from './wrangler-config.ts'

const bundlesDir = join(cacheDir, 'workerd-tests')
const entryDir = join(rootDir, 'tests', 'workerd')
/** Without hidden folders, in which the plugin stores data about the last bundle. */
const entrySources = readdirSync(entryDir).filter((name) => !name.startsWith('.'))
const sources = [
  ...['worker', 'wrangler.jsonc', 'package-lock.json', 'scripts/lib/workerd-bundle.ts', 'scripts/lib/wrangler-config.ts'],
  'tests/support/todo-app',
  ...entrySources.map((name) => join(entryDir, name)),
]

/**
 * Returns the Worker under test as wrangler configuration. An existing bundle is never changed: a running test run keeps its bundle, and a
 * later run creates a new one.
 */
export async function bundleTestWorker(): Promise<string> {
  const hash = hashOf(sources, [`page=${existsSync(clientDir)}`])
  const outDir = join(bundlesDir, hash.slice(0, 16))
  // The plugin names the folder after the Worker.
  const config = join(outDir, 'parley', 'wrangler.json')
  const made = stamp(join(outDir, 'hash'), hash)
  mkdirSync(bundlesDir, { recursive: true })
  await underLock(join(cacheDir, 'workerd-tests.lock'), async () => {
    if (made.isUpToDate()) return
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
          removeRemoteBindings(worker)
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

/** Longer than any test run that may still use a bundle. */
const bundleRetentionMs = 60 * 60_000

function forgetOldBundles(): void {
  for (const name of readdirSync(bundlesDir)) {
    const path = join(bundlesDir, name)
    if (Date.now() - statSync(path).mtimeMs > bundleRetentionMs) rmSync(path, { recursive: true, force: true })
  }
}

/** Adds the settings of the test runner to the built configuration. */
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

/**
 * The test runner parses the entry for its exports in every test file. This file exports the same names without the four megabytes of code.
 */
function writeEntry(directory: string, { main, durable_objects }: BuiltConfig): string {
  const name = 'entry.js'
  const names = ['default', ...new Set(durable_objects.bindings.map(({ class_name }) => class_name))]
  writeFileSync(join(directory, name), `export { ${names.join(', ')} } from './${main}'\n`)
  return name
}

/** Page tests need the built client. If Vitest runs before a build, only page tests fail. */
function builtPage({ assets }: BuiltConfig): object | undefined {
  return existsSync(clientDir) ? { binding: 'ASSETS', ...assets, directory: clientDir } : undefined
}
