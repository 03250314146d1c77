// Query plans of the statements of a pull, a connect and an import, on the migrated tables: none scans a table.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'
import { markUnused, readRemoved, readStorageRefusal } from '../../../worker/db/attachments.ts'
import { purgeMessages, purgeThreads } from '../../../worker/db/cleanup.ts'
import { readOverdue } from '../../../worker/db/customers.ts'
import { readIdleGuests, readUnsettledDeletions } from '../../../worker/db/delete-user.ts'
import { feedStatement } from '../../../worker/db/feed.ts'
import { hideAroundMessageSql, hideInThreadSql } from '../../../worker/db/hidden-files.ts'
import { groupProgressStatements } from '../../../worker/db/progress.ts'
import { sessionStatement } from '../../../worker/db/sessions.ts'
import { openTurnsStatement } from '../../../worker/db/turns.ts'
import { firstScreenStatements, importStart, importStatement } from '../../../worker/db/user-import.ts'
import { createNodeD1 } from '../../support/node-d1.ts'

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

/** The plan of each statement that a function runs. */
async function plansOf(run: (db: D1Database) => Promise<unknown>): Promise<string[][]> {
  const recording = createNodeD1()
  const texts: string[] = []
  recording.onStatement = (text) => void texts.push(text)
  await run(recording)
  return texts.map(stepsOf)
}

const position = { seq: 7, atMs: 7 }

test.each([
  ...(['content', 'directory'] as const).map((feed) => [`${feed} feed`, feedStatement(db, feed, 'ada', position)] as const),
  ...importStart.map((cursor) => [`import of ${cursor.table}`, importStatement(db, { ...cursor, after: 'x' }, 'ada')] as const),
  ...firstScreenStatements(db, 'ada').map((statement, i) => [`first screen ${i}`, statement] as const),
  ...groupProgressStatements(db, 'ada', 'group').map((statement, i) => [`progress ${i}`, statement] as const),
  ['open turns', openTurnsStatement(db, 'ada')] as const,
  ['session', sessionStatement(db, 'session', 'ada')] as const,
])('%s', (_name, statement) => {
  // Reading a feed's end goes backwards from it; `changed`, `page`, `recent` and what is selected from them have the size of a page; a user has few `scopes`.
  const isBad = (step: string) =>
    /SCAN (?!contentChange$|directoryChange$|changed|page$|scopes$|json_each|recent|CONSTANT|\(subquery-)/.test(step)
  expect(steps(statement).filter(isBad)).toEqual([])
})

test('pages of large lists and ends of threads need no sort', () => {
  // Organizations and their members are few rows from several sources, so sorting is allowed.
  const own = importStart.filter(({ feed }) => feed === 'content')
  const all = [...own.map((cursor) => importStatement(db, cursor, 'ada')), ...firstScreenStatements(db, 'ada')]
  expect(all.flatMap(steps).filter((step) => step.includes('TEMP B-TREE'))).toEqual([])
})

test('content of a full storage is found by its files, regardless of the number of forks', async () => {
  const [plan = []] = await plansOf((DB) => readStorageRefusal(DB, sql`userId = ${'ada'}`, 1, 1))
  expect(plan.filter((step) => /SCAN (?!CONSTANT)/.test(step))).toEqual([])
  expect(plan.join()).toMatch(/SEARCH attachmentUse USING (COVERING )?INDEX attachmentUse_shown/)
})

test.each([hideInThreadSql, hideAroundMessageSql])(
  'content hidden by a deletion is found in its thread, without reading other users’ files',
  (sql) => {
    const plan = stepsOf(sql)
    expect(plan.filter((step) => /SCAN (?!inThread|reached)/.test(step))).toEqual([])
    expect(plan).toContain('SEARCH inThread USING AUTOMATIC COVERING INDEX (parentId=?)')
    expect(plan).toContain('SEARCH attachmentUse USING INDEX attachmentUse_holder (holderId=?)')
  },
)

test('messages below a deleted one are found by reading each message of the thread once', async () => {
  const [plan = []] = await plansOf((DB) => purgeMessages(DB, 1))
  expect(plan.filter((step) => step.includes('message_thread'))).toEqual(['SEARCH message USING INDEX message_thread (threadId=?)'])
  expect(plan).toContain('SEARCH inThread USING AUTOMATIC COVERING INDEX (parentId=?)')
})

// Drizzle binds values, and an index with a condition serves only a statement that contains the condition.
test.each<readonly [index: string, run: (DB: D1Database) => Promise<unknown>]>([
  ['thread_deleted', (DB) => purgeThreads(DB, 1)],
  ['user_guests', (DB) => readIdleGuests({ DB }, 1)],
  ['accountDeletion_unsettled', (DB) => readUnsettledDeletions(DB, 1)],
  ['attachment_unused', (DB) => markUnused(DB, 1)],
  ['attachment_removed', (DB) => readRemoved(DB, 1, 1)],
  ['userCustomer_period', (DB) => readOverdue(DB, 1, 1)],
  ['organizationCustomer_period', (DB) => readOverdue(DB, 1, 1)],
])('a scheduled job reads through %s', async (index, run) => {
  expect((await plansOf(run)).flat().join()).toContain(`INDEX ${index}`)
})
