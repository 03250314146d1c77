// The few fields of wrangler.jsonc that our own scripts need. Comments are stripped here because importing wrangler costs half a second.
import { readFileSync } from 'node:fs'

export type WranglerConfig = {
  readonly name: string
  readonly compatibility_date: string
  readonly compatibility_flags: readonly string[]
  readonly d1_databases: readonly { binding: string; database_name: string; database_id: string; preview_database_id: string }[]
  readonly kv_namespaces: readonly { binding: string; id: string }[]
  readonly r2_buckets: readonly { binding: string; bucket_name: string }[]
  readonly vars: Readonly<Record<string, string>>
  readonly routes?: readonly (string | { readonly pattern: string; readonly custom_domain?: boolean })[]
  readonly triggers: { readonly crons: readonly string[] }
}

export function readWranglerConfig(file: string): WranglerConfig {
  // Our own file, checked by wrangler itself at every build; a wrong shape shows there with wrangler's explanation.
  return JSON.parse(stripJsonComments(readFileSync(file, 'utf8'))) as WranglerConfig
}

/** Strings are matched first, so that `//` inside one (a URL, a glob) survives. */
export function stripJsonComments(text: string): string {
  return text
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_match, string: string | undefined) => string ?? '')
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_match, string: string | undefined) => string ?? '')
}
