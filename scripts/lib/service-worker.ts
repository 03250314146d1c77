// Bundles the service worker, with the list of files that it stores.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { shellPath } from '../../web/service-worker/paths.ts'
import type { Manifest } from './budget.ts'
import { clientDir, rootDir } from './paths.ts'
import { serviceWorkerReport } from './third-party-notices.ts'

/**
 * Imports the code for highlighting, formulas and diagrams: 6 MB. The service worker stores only the static imports; the HTTP cache keeps the
 * rest after its first use.
 */
const entryOfLazyParts = 'ui/markdown/rich-markdown.tsx'

/** The files of all pages and overlays. An entry that the manifest lacks is an error. */
export function storedFiles(manifest: Manifest): string[] {
  const files = new Set<string>()
  const visited = new Set<string>()
  const visit = (source: string) => {
    if (visited.has(source)) return
    visited.add(source)
    const chunk = manifest[source]
    if (!chunk) throw new Error(`the build has no chunk for ${source}`)
    for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(`/${file}`)
    const onDemand = source === entryOfLazyParts ? [] : (chunk.dynamicImports ?? [])
    for (const next of [...(chunk.imports ?? []), ...onDemand]) visit(next)
  }
  if (!manifest[entryOfLazyParts]) throw new Error(`the build has no chunk for ${entryOfLazyParts}`)
  visit('index.html')
  return [...files].sort()
}

export async function buildServiceWorker(manifest: Manifest): Promise<void> {
  const revisionOf = (file: string) =>
    createHash('sha256')
      .update(readFileSync(join(clientDir, file)))
      .digest('hex')
      .slice(0, 16)
  const precache = [
    // File names contain a hash of the content; these addresses do not.
    { url: shellPath, revision: revisionOf('index.html') },
    { url: '/icons/projects.svg', revision: revisionOf('icons/projects.svg') },
    ...storedFiles(manifest).map((url) => ({ url, revision: null })),
  ]
  await build({
    configFile: false,
    root: rootDir,
    logLevel: 'warn',
    define: { PRECACHE: JSON.stringify(precache), 'process.env.NODE_ENV': '"production"' },
    build: {
      outDir: clientDir,
      emptyOutDir: false,
      copyPublicDir: false,
      minify: true,
      license: { fileName: serviceWorkerReport },
      target: 'es2024',
      lib: { entry: join(rootDir, 'web/service-worker/service-worker.ts'), formats: ['iife'], name: 'worker', fileName: () => 'sw.js' },
    },
  })
}
