// Leaves only the packages that the server of the container and its scripts import in package.json. `npm prune` then removes all others and keeps the
// installed versions, which are those of the lock file.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootDir } from '../lib/paths.ts'

/** A test compares it with the imports of scripts/container.ts and scripts/take-down.ts. */
export const runtimePackages = ['miniflare', 'zod']

if (import.meta.main) {
  const file = join(rootDir, 'package.json')
  const { dependencies, devDependencies, name, version, type, license } = JSON.parse(readFileSync(file, 'utf8'))
  const versions = { ...devDependencies, ...dependencies }
  const kept = Object.fromEntries(runtimePackages.map((each) => [each, versions[each]]))
  writeFileSync(file, JSON.stringify({ name, version, private: true, type, license, dependencies: kept }, null, 2))
}
