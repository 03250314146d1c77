// Prepares wrangler commands in the root that do not go through our scripts. All of them read one configuration, so a custom build chooses the
// Worker by the command: `wrangler dev` gets the development Worker, and every other command, such as `deploy`, the production Worker.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { applyMigrations } from './migrate.ts'
import { devVarsFile, productionDir, rootDir, workerDir, wranglerDir, wranglerRedirectFile, wranglerStateDir } from './paths.ts'

/** Wrangler runs it in the root, possibly under a Node that cannot run TypeScript. */
const customBuild = { command: 'node scripts/wrangler-worker.cjs', watch_dir: relative(rootDir, workerDir) }

type BuiltConfig = { readonly ai?: { readonly binding: string } }

/**
 * The Cloudflare Vite plugin writes the redirect below `web/`, its root. Wrangler looks for it in its working directory. `npm run deploy`
 * names its configuration and ignores the redirect.
 */
export function redirectWrangler(file: string = wranglerRedirectFile): void {
  const { ai, ...built } = JSON.parse(readFileSync(join(productionDir, 'wrangler.json'), 'utf8')) as BuiltConfig
  // As an `ai` binding, `wrangler dev` would log in to Cloudflare before it starts. Both forms upload the same binding.
  const unsafe = ai && { bindings: [{ name: ai.binding, type: 'ai' }] }
  const config = join(wranglerDir, 'wrangler.json')
  mkdirSync(wranglerDir, { recursive: true })
  // `keep_vars`: the variables of the last `npm run deploy` stay, such as DISABLED_FEATURES.
  writeFileSync(config, JSON.stringify({ ...built, build: customBuild, keep_vars: true, ...(unsafe && { unsafe }) }))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ configPath: relative(dirname(file), config), auxiliaryWorkers: [] }))
}

/** Keeps an existing `.dev.vars`. Returns the names of the applied migrations. */
export async function prepareWranglerDev(varsFile: string = devVarsFile, stateDir: string = wranglerStateDir): Promise<string[]> {
  if (!existsSync(varsFile)) writeFileSync(varsFile, 'ENVIRONMENT=development\n')
  return applyMigrations(stateDir)
}
