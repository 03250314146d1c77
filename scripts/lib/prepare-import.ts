// Rewrites an export of D1 so that D1 can import it. D1 writes each table followed by its rows, and rejects both a row whose foreign key names a
// later table (cloudflare/workers-sdk#5683) and a statement of more than 100 KB (cloudflare/workerd#3049).
import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/** Platform limit: 100,000 bytes. Chosen: a margin for the rest of the statement. */
const maxStatementBytes = 90_000
/** Chosen: a character has at most four bytes, so a piece has at most 64 KB. */
const maxPieceChars = 16_000
/** Shorter values stay in their row. A table has at most 100 columns, and few of them are texts. */
const minLongChars = 2_000

/** The number of rows by table. */
export type RowCounts = ReadonlyMap<string, number>

/** Writes the import to `target`: all tables, the rows, and then indexes and triggers, so that no trigger sees a row. */
export async function prepareImport(source: string, target: string): Promise<RowCounts> {
  const rowsFile = `${target}.rows`
  try {
    return await writeImport(source, target, rowsFile)
  } finally {
    // It contains user content.
    rmSync(rowsFile, { force: true })
  }
}

async function writeImport(source: string, target: string, rowsFile: string): Promise<RowCounts> {
  const counts = new Map<string, number>()
  const sequences: string[] = []
  let schema = ''
  async function* rows() {
    for await (const line of linesOf(source)) {
      const table = /^INSERT INTO "((?:[^"]|"")+)"/.exec(line)?.[1]
      if (table === undefined) schema += `${line}\n`
      else if (table === 'sqlite_sequence') sequences.push(line)
      else {
        counts.set(table, (counts.get(table) ?? 0) + 1)
        for (const statement of splitInsert(line)) yield `${statement}\n`
      }
    }
  }
  await pipeline(rows, createWriteStream(rowsFile))
  // Wrangler's splitter handles the semicolons in trigger bodies.
  const { unstable_splitSqlQuery: split } = await import('wrangler')
  const statements = split(schema).map((statement) => statement.trim().replace(/;$/, ''))
  const of = (pattern: RegExp) => statements.filter((statement) => pattern.test(statement)).map((statement) => `${statement};\n`)
  const [tables, sequenceReset] = [/^create table/i, /^delete from sqlite_sequence/i]
  const rest = statements.filter((statement) => ![tables, sequenceReset, /^pragma/i].some((pattern) => pattern.test(statement)))
  // D1 writes them last, and nothing else shows that a file of whole lines was cut off.
  if (counts.size > 0 && !rest.some((statement) => /^create trigger/i.test(statement)))
    throw new Error(`${source} has no triggers, so its end is missing`)
  await writeFile(target, ['PRAGMA defer_foreign_keys=TRUE;\n', ...of(tables)].join(''))
  await pipeline(createReadStream(rowsFile), createWriteStream(target, { flags: 'a' }))
  await appendFile(target, [...of(sequenceReset), ...sequences.map((line) => `${line}\n`), ...rest.map((text) => `${text};\n`)].join(''))
  return counts
}

/** Only at line feeds, which D1 escapes in values. `readline` also splits at U+2028, which D1 does not escape. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let begun = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (begun + String(chunk)).split('\n')
    begun = lines.pop() ?? ''
    yield* lines
  }
  if (begun !== '') yield begun
}

/** A text as D1 writes it: line feeds and carriage returns are escaped and replaced again. */
const textPattern = /((?:replace\()*)'((?:[^']|'')*)'((?:,'\\[nr]',char\(1[03]\)\))*)/
const valuePattern = new RegExp(`${textPattern.source}|X'[0-9a-fA-F]*'|[^,]+`, 'gy')

/** One statement, or an insert without the long texts and updates that append their pieces. */
export function splitInsert(statement: string): readonly string[] {
  if (Buffer.byteLength(statement) <= maxStatementBytes) return [statement]
  const parts = /^INSERT INTO ("(?:[^"]|"")+") \(((?:"(?:[^"]|"")+",?)+)\) VALUES\((.*)\);$/s.exec(statement)
  if (!parts) throw new Error(`an insert of more than 100 KB has an unknown form: ${statement.slice(0, 200)}`)
  const [, table = '', names = '', list = ''] = parts
  const columns = names.match(/"(?:[^"]|"")+"/g) ?? []
  const values = valuesIn(list)
  if (values.length !== columns.length) throw new Error(`an insert into ${table} has ${values.length} values for ${columns.length} columns`)
  const updates: string[] = []
  const kept = values.map((value, index) => {
    const text = value.length < minLongChars ? null : textPattern.exec(value)
    if (!text) return value
    const [, opening = '', content = '', closing = ''] = text
    for (const piece of piecesOf(content)) {
      const appended = `${columns[index]} = ${columns[index]} || ${opening}'${piece}'${closing}`
      // The row that was just inserted.
      updates.push(`UPDATE ${table} SET ${appended} WHERE rowid = (SELECT max(rowid) FROM ${table});`)
    }
    return "''"
  })
  return [`INSERT INTO ${table} (${names}) VALUES(${kept.join(',')});`, ...updates]
}

function valuesIn(list: string): readonly string[] {
  const values: string[] = []
  for (let at = 0; at < list.length; ) {
    valuePattern.lastIndex = at
    const value = valuePattern.exec(list)?.[0]
    if (value === undefined) throw new Error(`a value has an unknown form: ${list.slice(at, at + 200)}`)
    values.push(value)
    at += value.length + 1
  }
  return values
}

/** Never inside a doubled quote, an escape or a surrogate pair. */
const piecesOf = (content: string): readonly string[] => content.match(new RegExp(`(?:''|\\\\[nr]|[^']){1,${maxPieceChars}}`, 'gu')) ?? []
