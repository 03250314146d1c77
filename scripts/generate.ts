// `npm run generate`: writes the generated files. `--check` writes nothing and fails if a committed file is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Generator, getConfig } from '@tanstack/router-generator'
import { fail } from './lib/console.ts'
import { devVarsExample } from './lib/dev-vars-example.ts'
import { feedMigration } from './lib/feed-triggers.ts'
import { makerIcons } from './lib/maker-icons.ts'
import { devVarsExampleFile, migrationsDir, rootDir } from './lib/paths.ts'
import { routerOptions, routeTreeFile } from './lib/router-options.ts'

/** Generates the route tree from the route files. Returns whether the committed tree was up to date. */
async function generateRouteTree({ check }: { check: boolean }): Promise<boolean> {
  const before = existsSync(routeTreeFile) ? readFileSync(routeTreeFile, 'utf8') : ''
  const generator = new Generator({ config: getConfig(routerOptions, rootDir), root: rootDir })
  await generator.run()
  const isUpToDate = readFileSync(routeTreeFile, 'utf8') === before
  if (check && !isUpToDate) writeFileSync(routeTreeFile, before)
  return isUpToDate
}

/** Writes the text to the file, unless `check`. Returns whether the committed file was up to date. */
function generateFile(file: string, text: string, { check }: { check: boolean }): boolean {
  const isUpToDate = existsSync(file) && readFileSync(file, 'utf8') === text
  if (!check && !isUpToDate) writeFileSync(file, text)
  return isUpToDate
}

/** Writes a migration if the triggers of the migrations differ from worker/db/feed-tables.ts. Returns whether they were equal. */
function generateFeedTriggers({ check }: { check: boolean }): boolean {
  const migration = feedMigration()
  if (!check && migration) writeFileSync(join(migrationsDir, migration.name), migration.text)
  return migration === null
}

async function generate(check: boolean) {
  const results = {
    '.dev.vars.example': generateFile(devVarsExampleFile, devVarsExample(), { check }),
    'web/ui/maker-icons.svg': generateFile(join(rootDir, 'web/ui/maker-icons.svg'), makerIcons(), { check }),
    'web/routeTree.gen.ts': await generateRouteTree({ check }),
    'migrations (triggers of the feed)': generateFeedTriggers({ check }),
  }
  const stale = Object.entries(results).flatMap(([file, isUpToDate]) => (isUpToDate ? [] : [file]))
  if (check && stale.length > 0) throw new Error(`${stale.join(' and ')} out of date; run \`npm run generate\` and commit`)
}

if (import.meta.main) await generate(process.argv.includes('--check')).catch(fail('Parley: generated files'))
