// Reads who imports whom. Text is enough: one formatter writes every import the same way.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'

export type Source = { readonly path: string; readonly text: string }
/** `to` is a path of this repository, or what was asked of a package: `zod/mini` stays apart from `zod`. */
export type Edge = { readonly from: string; readonly to: string; readonly isPackage: boolean; readonly isTypeOnly: boolean }

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
    return { from: path, to, isPackage, isTypeOnly: match[2] !== undefined }
  })
}
