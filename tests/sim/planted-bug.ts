// A bug that is planted on purpose: one replacement in one file of a copy of the sources.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `seed`: the history or world that is known to notice it. */
export type Bug = { readonly seed: number; readonly name: string; readonly file: string; readonly from: string; readonly to: string }

export function bug(seed: number, name: string, file: string, from: string, to: string): Bug {
  return { seed, name, file, from, to }
}

/** Throws when the file has moved on from what the bug replaces. */
export function plantInto(folder: string, { file, from, to }: Bug): void {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${file} must contain exactly once: ${from}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
}
