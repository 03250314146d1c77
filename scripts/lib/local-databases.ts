// The D1 databases of a local run by binding: those of wrangler.jsonc, and the content databases that CONTENT_DATABASES adds. With 2 or
// more, `DB` is only the directory. Choose the number before the first start, because existing data is not moved.
import { wranglerFile } from './paths.ts'
import { readWranglerConfig } from './wrangler-config.ts'

export type LocalDatabases = { readonly [binding: string]: { readonly id: string } }

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
