// An export of D1 becomes importable without changing a value.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { prepareImport, splitInsert } from '../../../scripts/lib/prepare-import.ts'
import { storageLimits } from '../../support/node-sql.ts'

const dir = mkdtempSync(join(tmpdir(), 'import-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** As D1 writes a text. */
function literal(text: string): string {
  const escaped = `'${text.replaceAll("'", "''").replaceAll('\n', '\\n').replaceAll('\r', '\\r')}'`
  const withReturns = text.includes('\r') ? `replace(${escaped},'\\r',char(13))` : escaped
  return text.includes('\n') ? `replace(${withReturns},'\\n',char(10))` : withReturns
}

const insertOf = (id: number, text: string) => `INSERT INTO "note" ("id","text","size") VALUES(${id},${literal(text)},9e999);`
/** D1's limits apply, such as that of a statement. */
const newDatabase = () => new DatabaseSync(':memory:', { limits: storageLimits })

test.each([
  ['quotes', "it's, (a) 'test'; ".repeat(10_000)],
  ['line feeds and carriage returns', 'a\r\nb\n'.repeat(30_000)],
  ['characters of four bytes', '\u{1F600}x'.repeat(40_000)],
  ['line separators', 'a\u2028b'.repeat(40_000)],
  ['backslashes', '\\\\ x'.repeat(30_000)],
])('splits a long insert with %s', (_name, text) => {
  const database = newDatabase()
  database.exec('create table note (id integer primary key, text text not null, size real)')
  const statements = [insertOf(1, 'short'), insertOf(2, text)].flatMap(splitInsert)
  expect(statements.length).toBeGreaterThan(3)
  for (const statement of statements) database.exec(statement)
  expect(database.prepare('select id, text from note order by id').all()).toEqual([
    { id: 1, text: 'short' },
    { id: 2, text },
  ])
})

test('creates all tables before the rows, and triggers after them', async () => {
  const [source, target] = [join(dir, 'export.sql'), join(dir, 'import.sql')]
  const trigger = `CREATE TRIGGER note_inserted before insert on note\n  when new.id > 0 begin\n  select raise(abort, 'too late; sorry');\nend;`
  const lines = [
    ...[
      'PRAGMA defer_foreign_keys=TRUE;',
      'CREATE TABLE note (\n  id integer primary key,\n  text text references name (text),\n  size real\n);',
    ],
    ...[insertOf(1, 'first\u2028; one'), insertOf(2, 'first\u2028; one')],
    ...[
      'CREATE TABLE name (id integer primary key autoincrement, text text unique);',
      `INSERT INTO "name" ("id","text") VALUES(7,'first\u2028; one');`,
    ],
    ...[
      'DELETE FROM sqlite_sequence;',
      `INSERT INTO "sqlite_sequence" ("name","seq") VALUES('name',9);`,
      'CREATE INDEX note_text on note (text);',
      trigger,
    ],
  ]
  writeFileSync(source, lines.join('\n'))
  expect([...(await prepareImport(source, target))]).toEqual([
    ['note', 2],
    ['name', 1],
  ])
  const database = newDatabase()
  database.exec(`begin; ${readFileSync(target, 'utf8')} commit;`)
  expect(database.prepare('select count(*) n from note join name using (text)').get()).toEqual({ n: 2 })
  expect(database.prepare('select seq from sqlite_sequence').all()).toEqual([{ seq: 9 }])
  expect(() => database.exec(insertOf(3, 'x'))).toThrow('too late; sorry')
})

test.each([
  ['without its end', ['CREATE TABLE note (id integer primary key, text text, size real);', insertOf(1, 'x')], 'its end is missing'],
  ['with an insert of an unknown form', [`INSERT INTO "note" VALUES(1,'${'x'.repeat(100_000)}');`], 'unknown form'],
])('refuses an export %s, and leaves no copy of its rows', async (_name, lines, reason) => {
  const folder = mkdtempSync(join(dir, 'refused-'))
  const source = join(folder, 'export.sql')
  writeFileSync(source, lines.join('\n'))
  await expect(prepareImport(source, join(folder, 'import.sql'))).rejects.toThrow(reason)
  expect(readdirSync(folder)).toEqual(['export.sql'])
})
