// A planted bug: one replacement in one file of a copy of the sources.
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { filesBelow } from '../../scripts/lib/sources.ts'
import { edgesOf, readSources } from '../support/import-graph.ts'

/** `seed`: the history that is known to detect the bug. */
export type Bug = { readonly seed: number; readonly name: string; readonly file: string; readonly from: string; readonly to: string }

export function bug(seed: number, name: string, file: string, from: string, to: string): Bug {
  return { seed, name, file, from, to }
}

/**
 * Copies the file with the bug and all modules that import it, directly or not. Other modules are links to the originals, so they are
 * loaded once for all bugs. Throws when the file no longer contains the text that the bug replaces.
 */
export function plantInto(folder: string, source: string, { file, from, to }: Bug): void {
  const differing = importersOf(source, file)
  for (const original of filesBelow(source)) {
    // Its import paths are relative to its folder.
    if (basename(original) === 'tsconfig.json') continue
    const path = relative(source, original)
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    if (differing.has(path)) copyFileSync(original, join(folder, path))
    else symlinkSync(original, join(folder, path))
  }
  const text = readFileSync(join(source, file), 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} must contain exactly once: ${from}`)
  writeFileSync(
    join(folder, file),
    text.replace(from, () => to),
  )
}

const known = new Map<string, ReturnType<typeof edgesOf>>()

function edgesIn(source: string): ReturnType<typeof edgesOf> {
  const edges = known.get(source) ?? readSources(source, ['.']).flatMap(edgesOf)
  known.set(source, edges)
  return edges
}

/** The changed file included. Types are removed before it runs. */
function importersOf(source: string, file: string): ReadonlySet<string> {
  const edges = edgesIn(source)
  const found = new Set([file])
  for (const path of found) {
    for (const { from, to, isPackage, isTypeOnly } of edges) if (to === path && !isPackage && !isTypeOnly) found.add(from)
  }
  return found
}
