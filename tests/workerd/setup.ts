// Every test file starts with its own empty D1, migrated as `npm start` migrates it.
import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll } from 'vitest'

/** What the harness adds to the Worker's own bindings. */
type TestBindings = { readonly DB: D1Database; readonly TEST_MIGRATIONS: D1Migration[] }

beforeAll(async () => {
  const { DB, TEST_MIGRATIONS } = env as unknown as TestBindings
  await applyD1Migrations(DB, TEST_MIGRATIONS)
})
