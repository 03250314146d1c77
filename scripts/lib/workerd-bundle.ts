// Bundles tests/workerd/entry.ts (the Worker plus the tests' own subclasses) once, with the product's own build pipeline. Importing the
// sources instead would make every test file transform better-auth and the AI SDK again: 15 s instead of 3.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheDir, clientDir, rootDir, wranglerFile } from './paths.ts'
import { hashOf, stamp } from './sources.ts'

const outDir = join(cacheDir, 'workerd-tests')
/** The Worker under test, as wrangler configuration. The folder is named after the Worker. */
export const testWorkerConfig = join(outDir, 'parley', 'wrangler.json')

export async function bundleTestWorker(): Promise<void> {
  const sources = ['worker', 'tests/workerd', 'wrangler.jsonc', 'package-lock.json', 'scripts/lib/workerd-bundle.ts']
  const made = stamp(join(outDir, 'hash'), hashOf(sources))
  if (made.isFresh()) return
  const [{ createBuilder }, { cloudflare }] = await Promise.all([import('vite'), import('@cloudflare/vite-plugin')])
  const builder = await createBuilder({
    configFile: false,
    root: join(rootDir, 'tests', 'workerd'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
    plugins: [
      cloudflare({
        configPath: wranglerFile,
        remoteBindings: false,
        config: (worker) => {
          worker.main = join(rootDir, 'tests', 'workerd', 'entry.ts')
          worker.vars = { ...worker.vars, ENVIRONMENT: 'development', BETTER_AUTH_SECRET: 'a secret that only tests ever see' }
        },
      }),
    ],
  })
  await builder.buildApp()
  serveBuiltPage()
  made.remember()
}

/** Pages need the built client. Without one (`vitest` by hand, before any build) only tests of pages can tell. */
function serveBuiltPage() {
  const config = JSON.parse(readFileSync(testWorkerConfig, 'utf8')) as { assets?: object }
  const assets = existsSync(clientDir) ? { binding: 'ASSETS', ...config.assets, directory: clientDir } : undefined
  writeFileSync(testWorkerConfig, JSON.stringify({ ...config, assets }))
}
