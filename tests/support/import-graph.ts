// Reads the import graph. Regular expressions suffice, because one formatter formats every import.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'

export type Source = { readonly path: string; readonly text: string }
/** `to` is a path of this repository, or a package with its subpath: `zod/mini` differs from `zod`. */
export type Edge = {
  readonly from: string
  readonly to: string
  readonly isPackage: boolean
  readonly isTypeOnly: boolean
  /** `import()`. */
  readonly isLazy?: boolean
}

const importPattern =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"\n]+)['"]|\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g

export function readSources(root: string, folders: readonly string[]): Source[] {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.gen\.ts$|\.d\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(root, file).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }))
}

export function edgesOf({ path, text }: Source): Edge[] {
  return [...text.matchAll(importPattern)].map((match) => {
    const specifier = match[3] ?? match[4] ?? ''
    const isPackage = !specifier.startsWith('.')
    const to = isPackage ? specifier : posix.join(dirname(path), specifier.replace(/\?.*$/, ''))
    return { from: path, to, isPackage, isTypeOnly: match[2] !== undefined, isLazy: match[4] !== undefined }
  })
}

/** Import cycles, including type imports. One cycle per file at which a search meets its path again. */
export function circlesOf(edges: readonly Edge[]): string[] {
  const targets = Map.groupBy(
    edges.filter(({ isPackage }) => !isPackage),
    ({ from }) => from,
  )
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file])
    done.add(file)
  }
  for (const file of targets.keys()) visit(file, [])
  return circles
}
