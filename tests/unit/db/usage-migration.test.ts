// The migration of the usage, with turns of the previous version.
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrationNames, migrationText } from '../../../scripts/lib/migration-files.ts'
import { auditFindings } from '../../support/credit-audit.ts'

const name = '0017_usage.sql'
const [lastMonth, day] = [19_996, 20_000]

function turn(db: DatabaseSync, id: string, ofDay: number, projectId: string | null, ending: 'settle' | 'release' | null): void {
  const run = (sql: string, ...values: (string | number | null)[]) => db.prepare(sql).run(...values)
  const entry = `insert into creditLedger (id, userId, generationId, kind, credits, search, day, createdAt) values (?, 'ada', ?, ?, ?, ?, ?, 1)`
  const request = `insert into modelRequest (id, userId, generationId, purpose, day, model, provider, inputTokens, microDollars)
    values (?, 'ada', ?, ?, ?, 'm', 'p', 5, 7)`
  run(`insert into thread (id, userId, projectId, createdAt, updatedAt) values (?, 'ada', ?, 1, 1)`, `thread-${id}`, projectId)
  run(
    `insert into generation (id, userId, threadId, parentId, modelId, credits, day, createdAt, objectId)
      values (?, 'ada', ?, 'question', 'kimi-k2', 3, ?, 1, 'object')`,
    ...[id, `thread-${id}`, ofDay],
  )
  run(entry, `${id}:reserve`, id, 'reserve', 3, 1, ofDay)
  run(request, `${id}:title:1`, id, 'title', ofDay)
  if (ending === null) return
  run(`update generation set status = 'completed' where id = ?`, id)
  run(entry, `${id}:${ending}`, id, ending, ending === 'settle' ? 0 : -3, ending === 'settle' ? 0 : -1, ofDay)
  run(request, `${id}:answer:1`, id, 'answer', ofDay)
}

test('turns that ended count by the project of their thread, and a running turn counts when it ends', async () => {
  const db = new DatabaseSync(':memory:')
  const all = (sql: string) => db.prepare(sql).all() as object[]
  for (const before of migrationNames().filter((other) => other < name)) db.exec(migrationText(before))
  turn(db, 'old', lastMonth, 'project', 'settle')
  turn(db, 'charged', day, null, 'settle')
  turn(db, 'free', day, null, 'release')
  turn(db, 'open', day, null, null)
  db.exec(migrationText(name))
  const used = () => all('select day, projectId, credits, searches, tokens, microDollars, unpriced from dailyUse order by day')
  expect(used()).toEqual([
    { day: lastMonth, projectId: 'project', credits: 3, searches: 1, tokens: 10, microDollars: 14, unpriced: 0 },
    { day, projectId: null, credits: 3, searches: 1, tokens: 25, microDollars: 35, unpriced: 0 },
  ])
  expect(all('select day, credits, monthStart, monthCredits from usage')).toEqual([
    { day, credits: 6, monthStart: 19_997, monthCredits: 6 },
  ])
  db.exec(`update generation set status = 'completed' where id = 'open';
    insert into creditLedger (id, userId, generationId, kind, credits, day, createdAt) values ('open:settle', 'ada', 'open', 'settle', -1, ${day}, 1)`)
  expect(used().at(-1)).toMatchObject({ credits: 5, searches: 2, tokens: 25 })
  expect(await auditFindings('usage', (queries) => queries.map(all))).toEqual([])
})
