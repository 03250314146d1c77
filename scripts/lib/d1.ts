// Runs SQL in the databases of a local run (below STATE_DIR) or of the deployment, through `wrangler d1 execute`.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { cacheDir, stateDirOf, wranglerFile } from './paths.ts'
import { run } from './run.ts'
import { localDatabases, readWranglerConfig } from './wrangler-config.ts'

/** `stateDir`: the folder of a local run. Null: the deployment. */
export type Place = { readonly stateDir: string | null }

export const placeOf = (isRemote: boolean): Place => ({ stateDir: isRemote ? null : stateDirOf(process.env) })

/** Names of all databases. Wrangler finds them by name. */
export const databaseNames = ({ stateDir }: Place): readonly string[] =>
  stateDir === null
    ? readWranglerConfig(wranglerFile).d1_databases.map(({ database_name }) => database_name)
    : [...new Set(Object.values(localDatabases(process.env)).map(({ id }) => id))]

const rowsSchema = z.array(z.object({ results: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))) }))
type Row = z.infer<typeof rowsSchema>[number]['results'][number]

/** The rows of all statements. `sql` must not contain text of others, because wrangler binds no parameters. */
export async function query(place: Place, database: string, sql: string): Promise<readonly Row[]> {
  const json = await execute(place, database, ['--json', '--command', sql])
  return rowsSchema.parse(JSON.parse(json)).flatMap(({ results }) => results)
}

/** Runs the file as an import, which is one transaction. */
export async function executeFile(place: Place, database: string, file: string): Promise<void> {
  await execute(place, database, ['--yes', '--file', file])
}

async function execute(place: Place, database: string, args: readonly string[]): Promise<string> {
  const where =
    place.stateDir === null
      ? ['--remote', '--config', wranglerFile]
      : ['--local', '--persist-to', place.stateDir, '--config', localConfig(place)]
  const { status, stdout, output } = await run('wrangler', ['d1', 'execute', database, ...where, ...args])
  if (status !== 0) throw new Error(`wrangler d1 execute failed: ${output.trim()}`)
  return stdout
}

/** wrangler.jsonc lacks the content databases that CONTENT_DATABASES adds. */
function localConfig(place: Place): string {
  const d1_databases = databaseNames(place).map((name) => ({ binding: name.toUpperCase(), database_name: name, database_id: name }))
  const file = join(cacheDir, 'local-databases.json')
  mkdirSync(cacheDir, { recursive: true })
  const { compatibility_date } = readWranglerConfig(wranglerFile)
  writeFileSync(file, JSON.stringify({ name: 'parley', compatibility_date, d1_databases }))
  return file
}
