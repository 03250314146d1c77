// Reads the fields of wrangler.jsonc that our scripts need. Comments are stripped here, because importing wrangler takes half a second.
import { readFileSync } from 'node:fs'
import { wranglerFile } from './paths.ts'

export type WranglerConfig = {
  readonly name: string
  readonly account_id?: string
  readonly main: string
  readonly compatibility_date: string
  readonly compatibility_flags: readonly string[]
  /** Ids are optional. Cloudflare's deploy button writes them. */
  readonly d1_databases: readonly { binding: string; database_name: string; database_id?: string; preview_database_id: string }[]
  readonly kv_namespaces: readonly { binding: string; id?: string }[]
  readonly r2_buckets: readonly { binding: string; bucket_name: string }[]
  readonly vars: Readonly<Record<string, string>>
  readonly routes?: readonly (string | { readonly pattern: string; readonly custom_domain?: boolean })[]
  readonly triggers: { readonly crons: readonly string[] }
}

export function readWranglerConfig(file: string): WranglerConfig {
  // Every build validates this file with wrangler, so no schema is needed here.
  return JSON.parse(stripJsonComments(readFileSync(file, 'utf8'))) as WranglerConfig
}

/** The text of wrangler.jsonc without this name in DISABLED_FEATURES. */
export function withoutDisabledFeature(text: string, feature: string): string {
  return text.replace(/("DISABLED_FEATURES"\s*:\s*")([^"]*)"/, (match, start: string, list: string) => {
    const names = list.split(',').map((name) => name.trim())
    return names.includes(feature) ? `${start}${names.filter((name) => name !== feature).join(',')}"` : match
  })
}

/**
 * Removes the bindings that exist only at Cloudflare. Miniflare's stand-in of `AI` fails every request, and that of `EMAIL` writes mails to files,
 * so a local run would offer models and mails that never arrive.
 */
export function removeRemoteBindings(worker: { ai?: unknown; send_email?: unknown }): void {
  delete worker.ai
  delete worker.send_email
}

/** Strings are matched first, so that `//` inside a string (a URL, a glob) is kept. */
export function stripJsonComments(text: string): string {
  return text
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_match, string: string | undefined) => string ?? '')
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_match, string: string | undefined) => string ?? '')
}

export type LocalDatabases = { readonly [binding: string]: { readonly id: string } }

/**
 * The D1 databases of a local run by binding: those of wrangler.jsonc, and the content databases that CONTENT_DATABASES adds. With 2 or more,
 * `DB` is only the directory. Choose the number before the first start, because existing data is not moved.
 */
export function localDatabases({ CONTENT_DATABASES }: NodeJS.ProcessEnv): LocalDatabases {
  const { d1_databases } = readWranglerConfig(wranglerFile)
  const count = Number(CONTENT_DATABASES || 1)
  if (!Number.isInteger(count) || count < 1) throw new Error('CONTENT_DATABASES is not a positive whole number')
  const numbers = count === 1 ? [] : Array.from({ length: count }, (_, i) => i + 1)
  return Object.fromEntries([
    ...d1_databases.map(({ binding, preview_database_id }) => [binding, { id: preview_database_id }]),
    ...numbers.map((number) => [`CONTENT_DB_${number}`, { id: `parley-content-${number}` }]),
  ])
}
