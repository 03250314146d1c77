// Runs SQL in the databases of a local run (below STATE_DIR) or of the deployment. Files, and everything in the deployment, go through
// `wrangler d1 execute`. Local queries need no wrangler, which the image of the container does not have.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { askDatabases } from './migrate.ts'
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

const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))
const resultsSchema = z.array(z.object({ results: z.array(rowSchema) }))
const answerSchema = z.union([resultsSchema, z.object({ error: z.string() })])
type Row = z.infer<typeof rowSchema>

/** The rows of all statements. They must not contain text of others, because no parameters are bound. */
export async function query(place: Place, database: string, ...statements: readonly string[]): Promise<readonly Row[]> {
  const results =
    place.stateDir === null ? await remoteResults(place, database, statements) : await localResults(place.stateDir, database, statements)
  return results.flatMap((result) => result.results)
}

async function remoteResults(place: Place, database: string, statements: readonly string[]) {
  return resultsSchema.parse(JSON.parse(await execute(place, database, ['--json', '--command', statements.join('; ')])))
}

/** Runs the statements in the order of the request, all or none. */
const runner = `export default {
  async fetch(request, { DB }) {
    try {
      return Response.json(await DB.batch((await request.json()).map((sql) => DB.prepare(sql))))
    } catch (error) {
      return Response.json({ error: error.message })
    }
  },
}`

async function localResults(stateDir: string, id: string, body: readonly string[]) {
  const answer = answerSchema.parse(await askDatabases(stateDir, { DB: { id } }, { script: runner, body }))
  if ('error' in answer) throw new Error(`the database ${id} refuses the statement: ${answer.error}`)
  return answer
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
