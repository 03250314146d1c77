// `npm run restore -- FILE [--database NAME] [--remote]`: imports an export of D1 into an empty database, counts the rows of each table and
// compares them with the file. Without `--remote` the database is local, in STATE_DIR, and `npm start` with the same STATE_DIR serves it.
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fail } from './lib/console.ts'
import { databaseNames, executeFile, type Place, placeOf, query } from './lib/d1.ts'
import { cacheDir } from './lib/paths.ts'
import { prepareImport, type RowCounts } from './lib/prepare-import.ts'

async function restore() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { remote: { type: 'boolean', default: false }, database: { type: 'string' } },
  })
  const [file, ...others] = positionals
  if (file === undefined || others.length > 0) throw new Error('use: npm run restore -- FILE [--database NAME] [--remote]')
  if (!existsSync(file)) throw new Error(`there is no file ${file}`)
  const place = placeOf(values.remote)
  const names = databaseNames(place)
  const database = values.database ?? names[0] ?? ''
  if (!names.includes(database)) throw new Error(`there is no database ${database}; known: ${names.join(', ')}`)
  await mustBeEmpty(place, database)
  mkdirSync(cacheDir, { recursive: true })
  const prepared = join(cacheDir, `import-${process.pid}.sql`)
  try {
    const expected = await prepareImport(file, prepared)
    if (expected.size === 0) throw new Error(`${file} contains no rows`)
    console.log(`Parley: importing ${sumOf(expected)} rows of ${expected.size} tables into ${database}.`)
    await executeFile(place, database, prepared)
    await verify(expected, place, database)
  } finally {
    rmSync(prepared, { force: true })
  }
  console.log(`Parley: restored ${file} into ${database}. Every table has as many rows as the file.`)
}

async function mustBeEmpty(place: Place, database: string): Promise<void> {
  const tables =
    "select name from sqlite_schema where type = 'table' and name not like '\\_cf\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\'"
  const [first] = await query(place, database, `${tables} limit 1`)
  if (!first) return
  const advice = place.stateDir === null ? 'create a new database for the restore (docs/deployment.md)' : 'choose a new STATE_DIR'
  throw new Error(`the database ${database} is not empty; ${advice}`)
}

/** Compares the number of rows of each table with the file, and follows all foreign keys. */
async function verify(expected: RowCounts, place: Place, database: string): Promise<void> {
  const counts = [...expected.keys()].map((table) => `select '${table.replaceAll("'", "''")}' name, count(*) n from "${table}"`)
  const rows = await query(place, database, ...counts, 'pragma foreign_key_check')
  compare(expected, new Map(rows.flatMap(({ name, n }) => (n === undefined ? [] : [[String(name), Number(n)] as const]))))
  const broken = rows.filter(({ n }) => n === undefined)
  if (broken.length > 0)
    throw new Error(`${broken.length} rows refer to rows that are missing, the first one: ${JSON.stringify(broken[0])}`)
}

function compare(expected: RowCounts, found: RowCounts): void {
  console.log(`\n  ${'table'.padEnd(24)}${'in the file'.padStart(12)}${'restored'.padStart(12)}`)
  for (const [table, count] of expected)
    console.log(`  ${table.padEnd(24)}${String(count).padStart(12)}${String(found.get(table) ?? 0).padStart(12)}`)
  console.log('')
  const wrong = [...expected].filter(([table, count]) => found.get(table) !== count).map(([table]) => table)
  if (wrong.length > 0) throw new Error(`these tables have another number of rows than the file: ${wrong.join(', ')}`)
}

const sumOf = (counts: RowCounts): number => [...counts.values()].reduce((sum, count) => sum + count, 0)

await restore().catch(fail('Parley: not restored'))
