// Absolute paths of the project, so that scripts work from any directory.
import { join, resolve } from 'node:path'

export const rootDir = resolve(import.meta.dirname, '../..')
export const cacheDir = join(rootDir, '.cache')
export const distDir = join(rootDir, 'dist')
export const clientDir = join(distDir, 'client')
/** The Worker of `worker/index.dev.ts`, which local runs serve. */
export const workerDir = join(distDir, 'local')
/** The Worker of `worker/index.ts`, which a deployment uploads. */
export const productionDir = join(distDir, 'parley')
/** The Worker of plain wrangler commands in the root (`scripts/wrangler-worker.cjs`). */
export const wranglerDir = join(distDir, 'wrangler')
/** Miniflare's options for the built Worker. The build writes them, so that starting needs no wrangler. */
export const serveFile = join(distDir, 'serve.json')
/** `worker/edge.ts` as JavaScript, for the container. */
export const edgeFile = join(distDir, 'edge.js')
/** Vite's manifest of the client, which is not published. */
export const manifestFile = join(cacheDir, 'client-manifest.json')
export const migrationsDir = join(rootDir, 'migrations')
export const devVarsFile = join(rootDir, '.dev.vars')
/** Settings for the next deployment. */
export const prodVarsFile = join(rootDir, '.prod.vars')
export const devVarsExampleFile = join(rootDir, '.dev.vars.example')
export const wranglerFile = join(rootDir, 'wrangler.jsonc')
/** Redirects wrangler commands in the root to `wranglerDir`. */
export const wranglerRedirectFile = join(rootDir, '.wrangler', 'deploy', 'config.json')
/** Local state of plain `wrangler dev` in the root. */
export const wranglerStateDir = join(rootDir, '.wrangler', 'state')

export function stateDirOf(env: NodeJS.ProcessEnv): string {
  return resolve(rootDir, env.STATE_DIR || '.state')
}

/**
 * Wrangler and the Vite plugin keep local resources below `v3`. Using the same folder makes `start`, `dev` and `wrangler --persist-to` see
 * the same data.
 */
export function persistDirOf(stateDir: string): string {
  return join(stateDir, 'v3')
}
