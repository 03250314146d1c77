// Prepares plain `wrangler dev` in the root: the built configuration, `development` as the environment, and a migrated local D1.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { applyMigrations } from './migrate.ts'
import { devVarsFile, workerDir, wranglerRedirectFile, wranglerStateDir } from './paths.ts'

/**
 * The Cloudflare Vite plugin writes this file below `web/`, its root. Wrangler looks for it in its working directory. `npm run deploy`
 * names its configuration and ignores the redirect.
 */
export function redirectWrangler(file: string = wranglerRedirectFile): void {
  const configPath = relative(dirname(file), join(workerDir, 'wrangler.json'))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ configPath, auxiliaryWorkers: [] }))
}

/** Keeps an existing `.dev.vars`. Returns the names of the applied migrations. */
export async function prepareWranglerDev(varsFile: string = devVarsFile, stateDir: string = wranglerStateDir): Promise<string[]> {
  if (!existsSync(varsFile)) writeFileSync(varsFile, 'ENVIRONMENT=development\n')
  return applyMigrations(stateDir)
}
