// Adds up the JavaScript of a first visit from Vite's manifest.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

type ManifestChunk = {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
}
export type Manifest = Readonly<Record<string, ManifestChunk>>
type ChunkSize = { readonly file: string; readonly rawBytes: number; readonly brotliBytes: number }

/** Files that the entries import statically, directly or indirectly. An entry that is missing in the manifest is an error. */
export function staticClosure(manifest: Manifest, entries: readonly string[]): string[] {
  const files = new Set<string>()
  const visit = (source: string, wantedBy: string) => {
    const chunk = manifest[source]
    if (!chunk) throw new Error(`the build has no chunk for ${source} (wanted by ${wantedBy}); is scripts/first-load.ts up to date?`)
    if (files.has(chunk.file)) return
    files.add(chunk.file)
    for (const imported of chunk.imports ?? []) visit(imported, source)
  }
  for (const entry of entries) visit(entry, 'scripts/first-load.ts')
  return [...files].filter((file) => file.endsWith('.js'))
}

export function measure(directory: string, files: readonly string[]): ChunkSize[] {
  return files.map((file) => {
    const content = readFileSync(join(directory, file))
    const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } })
    return { file, rawBytes: content.length, brotliBytes: brotli.length }
  })
}

/** The table of sizes, and whether they are within the budget. */
export function report(sizes: readonly ChunkSize[], { name, maxBytes }: { readonly name: string; readonly maxBytes: number }) {
  const total = sizes.reduce((sum, size) => sum + size.brotliBytes, 0)
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`.padStart(10)
  const rows = [...sizes].sort((a, b) => b.brotliBytes - a.brotliBytes)
  const lines = rows.map((size) => `  ${size.file.padEnd(44)}${kilobytes(size.rawBytes)}${kilobytes(size.brotliBytes)}`)
  const isWithin = total <= maxBytes
  const verdict = `  JavaScript of / ${name}: ${(total / 1000).toFixed(1)} KB (brotli), budget ${(maxBytes / 1000).toFixed(0)} KB`
  return { text: [`  ${'chunk'.padEnd(44)}${'raw'.padStart(10)}${'brotli'.padStart(10)}`, ...lines, verdict].join('\n'), isWithin }
}
