// The files of one worker share a workerd and the modules they import. Each file starts with empty bindings and with three D1
// databases as they are after all migrations. After every test their ledgers are audited.
import './single-proxy.ts'
import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, expect } from 'vitest'
import type { Env } from '../../worker/bindings.ts'
import { auditFindings } from '../support/credit-audit.ts'
import { auditOnly, auditScope } from './audit.ts'

/** Additional bindings of the test harness. */
type TestBindings = Required<Pick<Env, 'DB' | 'FIRST_PAGES' | 'FILES'>> & {
  readonly CONTENT_DB_1: D1Database
  readonly CONTENT_DB_2: D1Database
  /** `textsOfMigratedDb`. */
  readonly TEST_SCHEMA: readonly string[]
}
const { DB, CONTENT_DB_1, CONTENT_DB_2, FIRST_PAGES, FILES, TEST_SCHEMA } = env as unknown as TestBindings
const databases = [DB, CONTENT_DB_1, CONTENT_DB_2]

// The previous file may have selected another scope.
auditOnly('turns')

beforeAll(async () => {
  // `reset` clears memory only. A binding unused for ten seconds is not in memory, and a request loads it.
  await Promise.all([...databases.map((db) => db.prepare('select 1').run()), FIRST_PAGES.list({ limit: 1 }), FILES.list({ limit: 1 })])
  await reset()
  await Promise.all(databases.map((db) => db.batch(TEST_SCHEMA.map((sql) => db.prepare(sql)))))
})

/** The rules compare these tables. Most tests fill them in one of the three databases only. */
const auditedTables = ['creditLedger', 'dailyModelUse', 'dailyUse', 'generation', 'guestUse', 'modelRequest', 'thread', 'usage']
const hasTurns = `select ${auditedTables.map((name) => `exists (select 1 from ${name})`).join(' or ')} hasTurns`

afterEach(async () => {
  const findings = await Promise.all(databases.map(auditedTurns))
  expect(findings.flat()).toEqual([])
})

async function auditedTurns(db: D1Database): Promise<readonly string[]> {
  if (!(await db.prepare(hasTurns).first<number>('hasTurns'))) return []
  // One batch instead of a request for each rule.
  const all = async (queries: readonly string[]) =>
    (await db.batch<object>(queries.map((sql) => db.prepare(sql)))).map(({ results }) => results)
  return auditFindings(auditScope(), all)
}
