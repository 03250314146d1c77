// Has anything changed since the last time? Answered by a hash of contents, because file times lie after a clone or a branch switch.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { rootDir } from './paths.ts'

/** Files below a path, in a stable order. A path that does not exist holds no files. */
export function filesBelow(path: string): string[] {
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const child = join(path, entry.name)
    return entry.isDirectory() ? filesBelow(child) : [child]
  })
}

/** What a build leaves beside its sources, in `web/`: a first build would make itself stale. */
const isLeftByBuild = (file: string): boolean => file.split(sep).includes('.wrangler')

/** Paths are relative to `base`. `extra` holds what is no file but changes the result: settings that a build bakes in. */
export function hashOf(paths: readonly string[], extra: readonly string[] = [], base = rootDir): string {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => filesBelow(resolve(base, path)))) {
    if (isLeftByBuild(relative(base, file))) continue
    hash
      .update(`${relative(base, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return hash.update(extra.join('\0')).digest('hex')
}

/** A remembered hash. `isFresh` compares, `remember` writes after the work succeeded, so that a failed run is repeated. */
export function stamp(file: string, hash: string) {
  return {
    isFresh: () => existsSync(file) && readFileSync(file, 'utf8') === hash,
    remember: () => {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, hash)
    },
  }
}
