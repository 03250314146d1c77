// `npm run generate`: files that tools write. `--check` changes nothing and fails when a committed one is not what its tool would write.
// The Workers runtime's types (600 KB that follow from the lock file) are not committed; they are made again when the lock or the
// compatibility date changes.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Generator, getConfig } from '@tanstack/router-generator'
import { fail } from './lib/console.ts'
import { devVarsExample } from './lib/dev-vars-example.ts'
import { cacheDir, devVarsExampleFile, rootDir, runtimeTypesFile } from './lib/paths.ts'
import { routerOptions, routeTreeFile } from './lib/router-options.ts'
import { run } from './lib/run.ts'
import { hashOf, stamp } from './lib/sources.ts'

export async function generateRuntimeTypes(): Promise<void> {
  const made = stamp(join(cacheDir, 'workers-runtime.hash'), hashOf(['package-lock.json', 'wrangler.jsonc']))
  if (made.isFresh() && existsSync(runtimeTypesFile)) return
  mkdirSync(cacheDir, { recursive: true })
  const { status, output } = await run('wrangler', ['types', runtimeTypesFile, '--include-env=false'])
  if (status !== 0) throw new Error(`wrangler types failed:\n${output}`)
  made.remember()
}

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

async function generate(check: boolean) {
  await generateRuntimeTypes()
  const results = { '.dev.vars.example': generateDevVarsExample({ check }), 'web/routeTree.gen.ts': await generateRouteTree({ check }) }
  const stale = Object.entries(results).flatMap(([file, isUpToDate]) => (isUpToDate ? [] : [file]))
  if (check && stale.length > 0) throw new Error(`${stale.join(' and ')} out of date; run \`npm run generate\` and commit`)
}

if (import.meta.main) await generate(process.argv.includes('--check')).catch(fail('Parley: generated files'))
