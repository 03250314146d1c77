// `npm run generate`: files that tools write. `--check` changes nothing and fails when a committed one is not what its tool would write.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Generator, getConfig } from '@tanstack/router-generator'
import { fail } from './lib/console.ts'
import { devVarsExample } from './lib/dev-vars-example.ts'
import { feedMigration } from './lib/feed-triggers.ts'
import { devVarsExampleFile, migrationsDir, rootDir } from './lib/paths.ts'
import { routerOptions, routeTreeFile } from './lib/router-options.ts'

/** Routes are files; the tree of them is generated. Answers whether the committed tree was up to date. */
export async function generateRouteTree({ check }: { check: boolean }): Promise<boolean> {
  const before = existsSync(routeTreeFile) ? readFileSync(routeTreeFile, 'utf8') : ''
  const generator = new Generator({ config: getConfig(routerOptions, rootDir), root: rootDir })
  await generator.run()
  const isUpToDate = readFileSync(routeTreeFile, 'utf8') === before
  if (check && !isUpToDate) writeFileSync(routeTreeFile, before)
  return isUpToDate
}

/** `.dev.vars.example` says of every setting what `worker/env-settings.ts` says. Answers like `generateRouteTree`. */
export function generateDevVarsExample({ check }: { check: boolean }): boolean {
  const text = devVarsExample()
  const isUpToDate = existsSync(devVarsExampleFile) && readFileSync(devVarsExampleFile, 'utf8') === text
  if (!check && !isUpToDate) writeFileSync(devVarsExampleFile, text)
  return isUpToDate
}

/** Writes a migration when the triggers of the migrations differ from worker/db/feed-tables.ts. Returns whether they were equal. */
export function generateFeedTriggers({ check }: { check: boolean }): boolean {
  const migration = feedMigration()
  if (!check && migration) writeFileSync(join(migrationsDir, migration.name), migration.text)
  return migration === null
}

async function generate(check: boolean) {
  const results = {
    '.dev.vars.example': generateDevVarsExample({ check }),
    'web/routeTree.gen.ts': await generateRouteTree({ check }),
    'migrations (triggers of the feed)': generateFeedTriggers({ check }),
  }
  const stale = Object.entries(results).flatMap(([file, isUpToDate]) => (isUpToDate ? [] : [file]))
  if (check && stale.length > 0) throw new Error(`${stale.join(' and ')} out of date; run \`npm run generate\` and commit`)
}

if (import.meta.main) await generate(process.argv.includes('--check')).catch(fail('Parley: generated files'))
