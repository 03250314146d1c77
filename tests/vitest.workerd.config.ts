// Tests inside workerd: the objects, D1, and the Worker through its own fetch. State is isolated per file, not per test.
import { join } from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { migrationsDir, rootDir } from '../scripts/lib/paths.ts'
import { bundleTestWorker } from '../scripts/lib/workerd-bundle.ts'
import { answerAsCompany, companyClients } from './support/peers/companies.ts'

const minute = 60_000

export default defineConfig(async () => {
  const configPath = await bundleTestWorker()
  const migrations = await readD1Migrations(migrationsDir)
  return {
    root: rootDir,
    cacheDir: join(rootDir, '.cache', 'vite-workerd'),
    plugins: [
      cloudflareTest({
        remoteBindings: false,
        wrangler: { configPath },
        miniflare: {
          bindings: { TEST_MIGRATIONS: migrations, ...companyClients },
          d1Databases: { SECOND_DB: 'second-database-of-the-tests' },
          cf: false,
          outboundService: (request: unknown) => answerAsCompany(request as Request),
        },
      }),
    ],
    test: {
      name: 'workerd',
      include: ['tests/workerd/**/*.test.ts'],
      setupFiles: ['tests/support/within-a-day.ts', 'tests/workerd/setup.ts'],
      // One more than there are cores: a third of their time is spent waiting for silences to be given up.
      maxWorkers: 3,
      // Only what never comes is wrong, and a busy machine takes its time.
      testTimeout: 3 * minute,
      hookTimeout: 3 * minute,
      expect: { poll: { timeout: 45_000 } },
    },
  }
})
