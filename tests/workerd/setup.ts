// Every test file starts with its own empty D1, migrated as `npm start` migrates it, and after every test its ledger is audited.
import './single-proxy.ts'
import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, expect } from 'vitest'
import { auditFindings } from '../support/credit-audit.ts'
import { auditScope } from './audit.ts'

/** What the harness adds to the Worker's own bindings. */
type TestBindings = { readonly DB: D1Database; readonly TEST_MIGRATIONS: D1Migration[] }

beforeAll(async () => {
  const { DB, TEST_MIGRATIONS } = env as unknown as TestBindings
  await applyD1Migrations(DB, TEST_MIGRATIONS)
})

afterEach(async () => {
  const { DB } = env as unknown as TestBindings
  expect(await auditFindings(auditScope(), async (sql) => (await DB.prepare(sql).all()).results)).toEqual([])
})
