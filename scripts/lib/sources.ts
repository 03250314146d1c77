// Detects changed files by a hash of their contents, because file times change on a clone or a branch switch.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { rootDir } from './paths.ts'

/** Files below a path in a stable order. Empty if the path does not exist. */
export function filesBelow(path: string): string[] {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const child = join(path, entry.name)
    return entry.isDirectory() ? filesBelow(child) : [child]
  })
}

/** Files that a build writes next to its sources in `web/`. They would make a first build stale. */
const isBuildOutput = (file: string): boolean => file.split(sep).includes('.wrangler')

/** `paths` are relative to `base`. `extra`: other inputs of the result, such as settings that a build inlines. */
export function hashOf(paths: readonly string[], extra: readonly string[] = [], base = rootDir): string {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => filesBelow(resolve(base, path)))) {
    if (isBuildOutput(relative(base, file))) continue
    hash
      .update(`${relative(base, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return hash.update(extra.join('\0')).digest('hex')
}

/** A stored hash. Call `remember` after the work succeeded, so that failed work is repeated. */
export function stamp(file: string, hash: string) {
  return {
    isUpToDate: () => existsSync(file) && readFileSync(file, 'utf8') === hash,
    remember: () => {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, hash)
    },
  }
}
