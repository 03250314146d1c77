// Reads the fields of wrangler.jsonc that our scripts need. Comments are stripped here, because importing wrangler takes half a second.
import { readFileSync } from 'node:fs'

export type WranglerConfig = {
  readonly name: string
  readonly account_id?: string
  readonly main: string
  readonly compatibility_date: string
  readonly compatibility_flags: readonly string[]
  readonly d1_databases: readonly { binding: string; database_name: string; preview_database_id: string }[]
  readonly kv_namespaces: readonly { binding: string }[]
  readonly r2_buckets: readonly { binding: string; bucket_name: string }[]
  readonly vars: Readonly<Record<string, string>>
  readonly routes?: readonly (string | { readonly pattern: string; readonly custom_domain?: boolean })[]
  readonly triggers: { readonly crons: readonly string[] }
}

export function readWranglerConfig(file: string): WranglerConfig {
  // Every build validates this file with wrangler, so no schema is needed here.
  return JSON.parse(stripJsonComments(readFileSync(file, 'utf8'))) as WranglerConfig
}

/** Strings are matched first, so that `//` inside a string (a URL, a glob) is kept. */
export function stripJsonComments(text: string): string {
  return text
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_match, string: string | undefined) => string ?? '')
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_match, string: string | undefined) => string ?? '')
}
