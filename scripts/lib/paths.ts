// Where things are, said once. Paths are absolute so that scripts work from any directory.
import { join, resolve } from 'node:path'

export const rootDir = resolve(import.meta.dirname, '../..')
export const cacheDir = join(rootDir, '.cache')
export const distDir = join(rootDir, 'dist')
export const clientDir = join(distDir, 'client')
export const workerDir = join(distDir, 'parley')
/** What the build leaves for `start`: Miniflare's options for the built Worker, so that starting needs no wrangler. */
export const serveFile = join(distDir, 'serve.json')
/** Vite's manifest of the client, kept out of what is published. */
export const manifestFile = join(cacheDir, 'client-manifest.json')
export const migrationsDir = join(rootDir, 'migrations')
export const devVarsFile = join(rootDir, '.dev.vars')
/** Settings that the next deployment is to put. */
export const prodVarsFile = join(rootDir, '.prod.vars')
export const devVarsExampleFile = join(rootDir, '.dev.vars.example')
export const wranglerFile = join(rootDir, 'wrangler.jsonc')
/** Redirects wrangler commands in the root to a built configuration. */
export const wranglerRedirectFile = join(rootDir, '.wrangler', 'deploy', 'config.json')
/** The local state of plain `wrangler dev` in the root. */
export const wranglerStateDir = join(rootDir, '.wrangler', 'state')

export function stateDirOf(env: NodeJS.ProcessEnv): string {
  return resolve(rootDir, env.STATE_DIR || '.state')
}

/** Wrangler, the Vite plugin and we keep local resources below `v3`, so that `start`, `dev` and `wrangler --persist-to` see the same data. */
export function persistDirOf(stateDir: string): string {
  return join(stateDir, 'v3')
}
