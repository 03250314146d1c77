// Builds the page (dist/client) and the Worker. Mode `production` builds the Worker of a deployment (dist/parley), any other mode the Worker
// of local runs, which has stand-ins (dist/local). `scripts/build.ts` and `scripts/dev.ts` run it.
import { basename, resolve } from 'node:path'
import { cloudflare, type WorkerConfig } from '@cloudflare/vite-plugin'
import tailwindcss from '@tailwindcss/vite'
import { defineConfig, type Plugin } from 'vite'
import { appEntry, firstRoutes, leanEntries, threadEntries } from './scripts/first-load.ts'
import { compileTexts } from './scripts/lib/compile-texts.ts'
import { firstChunks } from './scripts/lib/first-chunks.ts'
import { productionDir, stateDirOf, workerDir } from './scripts/lib/paths.ts'
import { reactPlugins } from './scripts/lib/react-plugins.ts'
import { readSettings, workerBindings } from './scripts/lib/settings.ts'
import { reportName } from './scripts/lib/third-party-notices.ts'
import { removeRemoteBindings } from './scripts/lib/wrangler-config.ts'

const webDir = resolve(import.meta.dirname, 'web')
const chunkLoader = resolve(webDir, 'lib/load-chunk.ts')
const contractDir = `${resolve(import.meta.dirname, 'worker/contract')}/`

/** Minifies the Worker, because Cloudflare counts its bytes at every cold start. Names are kept for readable stack traces. */
const minifyWorker: Plugin = {
  name: 'parley:minify-worker',
  configEnvironment: (name) => (name === 'client' ? undefined : { build: { minify: true, sourcemap: true } }),
}

/** index.html preloads the font from its package. The build resolves this path. The dev server does not, because its root is web/. */
const preloadFromPackages: Plugin = {
  name: 'parley:preload-from-packages',
  apply: 'serve',
  transformIndexHtml: {
    order: 'pre',
    handler: (html) => html.replaceAll('"../node_modules/', `"/@fs${resolve(import.meta.dirname, 'node_modules')}/`),
  },
}

/** Vite's preload helper links modules, and a failed link makes the import fail for the life of the page. Ours fetches and retries. */
const fetchBeforeImport: Plugin = {
  name: 'parley:fetch-before-import',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'client',
  resolveId: { filter: { id: /^\0vite\/preload-helper\.js$/ }, handler: () => chunkLoader },
}

/**
 * Modules of the Zero client that no page needs, and their replacements in the build. The planner runs only with the cost model of Zero's own
 * server. The log sink sends to hosts of Zero's makers. The inspector sends requests that our server does not answer. Together they are 5 KB of
 * the first load.
 */
const unusedInZero: Readonly<Record<string, string>> = {
  'planner-builder': 'export const planQuery = (query) => query',
  'datadog-log-sink': 'export class DatadogLogSink {}',
  inspector: 'export class Inspector {}',
}

const omitUnusedZero: Plugin = {
  name: 'parley:omit-unused-zero',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'client',
  load: {
    filter: { id: new RegExp(`/@rocicorp/zero/out/.+/(?:${Object.keys(unusedInZero).join('|')})\\.js$`) },
    handler: (id) => unusedInZero[basename(id, '.js')],
  },
}

/**
 * Draws an icon of Lucide as an `svg` with its standard attributes. The package's own function also builds icons from other descriptions,
 * merges class names and reads a context, none of which is used here. The keys of the parts are for lists. Together they are 1.6 KB of the first
 * load.
 */
const lightIcons: Plugin = {
  name: 'parley:light-icons',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => name === 'client',
  load: {
    filter: { id: /[\\/]lucide-react[\\/]dist[\\/]esm[\\/]createLucideIcon\.mjs$/ },
    handler: () => `import { createElement, forwardRef } from 'react'
const standard = { width: 24, height: 24, viewBox: '0 0 24 24', fill: 'none', stroke: 'currentColor', strokeWidth: 2, strokeLinecap: 'round', strokeLinejoin: 'round' }
const isNamed = (name) => name === 'role' || name.startsWith('aria-')
export default ({ name, node }) => forwardRef(({ className = '', ...props }, ref) => createElement('svg',
  { ...standard, 'aria-hidden': !Object.keys(props).some(isNamed) || undefined, ...props, className: 'lucide lucide-' + name + ' ' + className, ref },
  ...node.map(([tag, attributes]) => createElement(tag, attributes))))`,
  },
  transform: {
    filter: { id: /[\\/]lucide-react[\\/]dist[\\/]esm[\\/]icons[\\/][^\\/]+\.mjs$/ },
    handler: (code) => code.replaceAll(/, key: "\w+"/g, ''),
  },
}

/** Removes KaTeX's woff and ttf fonts. All supported browsers load woff2; the build would deploy the others. */
const newestFonts: Plugin = {
  name: 'parley:newest-fonts',
  enforce: 'pre',
  transform: {
    filter: { id: /[\\/]katex[\\/]dist[\\/].*\.css$/ },
    handler: (css) => css.replaceAll(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\("(?:woff|truetype)"\)/g, ''),
  },
}

/** Reloads the page when a contract module changes. HMR would keep a sync client with the old schema and mutators. */
const reloadForContract: Plugin = {
  name: 'parley:reload-for-contract',
  apply: 'serve',
  hotUpdate({ file }) {
    if (this.environment.name !== 'client' || !file.startsWith(contractDir)) return undefined
    this.environment.hot.send({ type: 'full-reload' })
    return []
  },
}

/** Its name differs, so that an upload of `dist/local` cannot replace the Worker of a deployment. */
const developmentWorker = { name: 'parley-development', main: resolve(import.meta.dirname, 'worker/index.dev.ts') }

/** Only for `npm run dev`: a build would write the variables, which contain secrets, to dist/. */
function adaptToDev(worker: WorkerConfig, stateDir: string) {
  worker.vars = { ...worker.vars, ...workerBindings(readSettings(), stateDir) }
  // Vite serves modules such as /main.ts. Requests that neither Vite nor an asset handles reach the Worker.
  worker.assets = { ...worker.assets, run_worker_first: ['/', '/api/*'] }
}

const chunkGroups = firstChunks(webDir, {
  entry: 'main.ts',
  app: appEntry,
  first: firstRoutes,
  lean: leanEntries,
  thread: threadEntries,
  loader: chunkLoader,
})

export default defineConfig(({ command, mode }) => {
  const isProduction = mode === 'production'
  const stateDir = stateDirOf(process.env)
  return {
    root: webDir,
    envDir: false,
    build: {
      outDir: resolve(import.meta.dirname, 'dist'),
      emptyOutDir: true,
      manifest: true,
      // `third-party-notices.ts` joins the reports of the page and of the Worker.
      license: { fileName: reportName },
      target: 'es2024',
      reportCompressedSize: false,
      modulePreload: {
        // Every browser with the language of `target` knows `modulepreload`.
        polyfill: false,
        // Vite leaves the list empty for a file that imports nothing; `web/lib/load-chunk.ts` needs the address of every file.
        resolveDependencies: (file, deps, { hostType }) => (hostType === 'js' ? [...new Set([file, ...deps])] : deps),
      },
      // Vite warns about single chunks; `scripts/build.ts` checks the first load instead. Only chunks for diagrams exceed 500 kB; the largest
      // (elk) is 1.5 MB.
      chunkSizeWarningLimit: 1_600,
      // The React Compiler has read "use no memo" when the bundler warns about it; the times of plugins are of no use to who starts the product.
      rolldownOptions: { checks: { moduleLevelDirective: false, pluginTimings: false } },
    },
    environments: {
      parley: { build: { outDir: isProduction ? productionDir : workerDir } },
      client: { build: { rolldownOptions: { output: { codeSplitting: { groups: chunkGroups } } } } },
    },
    // React 19 has the hook; the shim is for React 17.
    resolve: { alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' } },
    // `import-worker.ts` is loaded as a module worker.
    worker: { format: 'es' },
    plugins: [
      // Before the React Compiler, which moves the keys out of the calls.
      compileTexts,
      ...reactPlugins(),
      tailwindcss(),
      cloudflare({
        configPath: resolve(import.meta.dirname, 'wrangler.jsonc'),
        // Otherwise the environment has the name of the Worker, which a deployment may change.
        viteEnvironment: { name: 'parley' },
        remoteBindings: false,
        inspectorPort: false,
        persistState: { path: stateDir },
        config: (worker) => {
          if (!isProduction) {
            Object.assign(worker, developmentWorker)
            removeRemoteBindings(worker)
          }
          if (command === 'serve') adaptToDev(worker, stateDir)
        },
      }),
      minifyWorker,
      preloadFromPackages,
      omitUnusedZero,
      lightIcons,
      newestFonts,
      fetchBeforeImport,
      reloadForContract,
    ],
  }
})
