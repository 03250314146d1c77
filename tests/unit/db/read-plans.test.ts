// What a pull, a connect and an import ask D1, explained on the tables that the migrations make: none reads a table from end to end.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { feedStatement } from '../../../worker/db/feed.ts'
import { hideAroundMessageSql, hideInThreadSql } from '../../../worker/db/hidden-files.ts'
import { firstScreenStatements, importStart, importStatement } from '../../../worker/db/person-import.ts'
import { groupProgressStatements } from '../../../worker/db/progress.ts'
import { sessionStatement } from '../../../worker/db/sessions.ts'
import { hasRoomSql } from '../../../worker/db/storage-room.ts'
import { purgeMessagesSql } from '../../../worker/db/tidy.ts'
import { openTurnsStatement } from '../../../worker/db/turns.ts'

const database = new DatabaseSync(':memory:')
for (const file of readdirSync(join(rootDir, 'migrations')).sort()) database.exec(readFileSync(join(rootDir, 'migrations', file), 'utf8'))

/** Statements keep their text; nothing runs. */
type Text = { readonly text: string }
const db = { prepare: (text: string) => ({ text, bind: () => ({ text }) }) } as unknown as D1Database
const textOf = (statement: D1PreparedStatement) => (statement as unknown as Text).text

const steps = (statement: D1PreparedStatement): string[] => stepsOf(textOf(statement))
const stepsOf = (sql: string): string[] =>
  database
    .prepare(`explain query plan ${sql}`)
    .all()
    .map(({ detail }) => String(detail))

const position = { seq: 7, atMs: 7 }

test.each([
  ...(['content', 'directory'] as const).map((feed) => [`${feed} feed`, feedStatement(db, feed, 'ada', position)] as const),
  ...importStart.map((cursor) => [`import of ${cursor.table}`, importStatement(db, { ...cursor, after: 'x' }, 'ada')] as const),
  ...firstScreenStatements(db, 'ada').map((statement, i) => [`first screen ${i}`, statement] as const),
  ...groupProgressStatements(db, 'ada', 'group').map((statement, i) => [`progress ${i}`, statement] as const),
  ['open turns', openTurnsStatement(db, 'ada')] as const,
  ['session', sessionStatement(db, 'session', 'ada')] as const,
])('%s', (_name, statement) => {
  // Reading a feed's end goes backwards from it; `changed`, `page`, `recent` and what is selected from them have the size of a page.
  const isBad = (step: string) => /SCAN (?!contentChange$|directoryChange$|changed|page$|recent|CONSTANT|\(subquery-)/.test(step)
  expect(steps(statement).filter(isBad)).toEqual([])
})

test('pages of what a person has a lot of, and the ends of threads, need no sorting', () => {
  // Organizations and their members are few, and come from several: they may be sorted.
  const own = importStart.filter(({ feed }) => feed === 'content')
  const all = [...own.map((cursor) => importStatement(db, cursor, 'ada')), ...firstScreenStatements(db, 'ada')]
  expect(all.flatMap(steps).filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
})

test('what a full storage holds is found by its files, however often each was forked', () => {
  const plan = stepsOf(`select ${hasRoomSql('userId = ?1', '?2', '?3')}`)
  expect(plan.filter((step) => /SCAN (?!CONSTANT)/.test(step))).toEqual([])
  expect(plan.join()).toMatch(/SEARCH attachmentUse USING (COVERING )?INDEX attachmentUse_shown/)
})

test.each([hideInThreadSql, hideAroundMessageSql])(
  'what a deletion hides is found in its thread, and nobody else’s files are looked at',
  (sql) => {
    const plan = stepsOf(sql)
    expect(plan.filter((step) => /SCAN (?!said|known)/.test(step))).toEqual([])
    expect(plan).toContain('SEARCH said USING AUTOMATIC COVERING INDEX (parentId=?)')
    expect(plan).toContain('SEARCH attachmentUse USING INDEX attachmentUse_holder (holderId=?)')
  },
)

test('what was deleted before is hidden by reading each message of its thread once', () => {
  const migration = readFileSync(join(rootDir, 'migrations/0029_hidden_files.sql'), 'utf8')
  const [first = '', second = ''] = migration.slice(migration.indexOf('with recursive')).split(';\n')
  expect(stepsOf(first).filter((step) => / message /.test(step))).toEqual([
    'SEARCH message USING INDEX message_thread (threadId=?)',
    'SEARCH message USING INDEX message_deleted (deletedAt>?)',
  ])
  expect(stepsOf(first)).toContain('SEARCH said USING AUTOMATIC COVERING INDEX (parentId=?)')
  expect(stepsOf(second).filter((step) => /SCAN (?!attachmentUse)/.test(step))).toEqual([])
})

test('what goes with a deleted message is found by reading each message of its thread once', () => {
  const plan = stepsOf(purgeMessagesSql)
  expect(plan.filter((step) => step.includes('message_thread'))).toEqual(['SEARCH message USING INDEX message_thread (threadId=?)'])
  expect(plan).toContain('SEARCH said USING AUTOMATIC COVERING INDEX (parentId=?)')
})
