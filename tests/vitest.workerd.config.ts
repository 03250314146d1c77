// Tests inside workerd: the objects, D1, and the Worker through its own fetch. Each file starts with empty storage (tests/workerd/setup.ts).
import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { rootDir } from '../scripts/lib/paths.ts'
import { bundleTestWorker } from '../scripts/lib/workerd-bundle.ts'
import { textsOfMigratedDb } from './support/migrated-db.ts'
import { answerAsProvider, providerClients } from './support/peers/external-services.ts'

const minute = 60_000

export default defineConfig(async () => {
  const configPath = await bundleTestWorker()
  return {
    root: rootDir,
    cacheDir: join(rootDir, '.cache', 'vite-workerd'),
    plugins: [
      cloudflareTest({
        remoteBindings: false,
        wrangler: { configPath },
        miniflare: {
          bindings: { TEST_SCHEMA: textsOfMigratedDb(), PARLEY_LONG: process.env.PARLEY_LONG ?? '', ...providerClients },
          d1Databases: { CONTENT_DB_1: 'parley-content-1', CONTENT_DB_2: 'parley-content-2', TODO_DB: 'todo-app' },
          cf: false,
          outboundService: (request: unknown) => answerAsProvider(request as Request),
        },
      }),
    ],
    test: {
      name: 'workerd',
      include: ['tests/workerd/**/*.test.ts'],
      // A separate workerd per file, which loads the bundle and every import again, took 60 % more processor time.
      isolate: false,
      setupFiles: ['within-a-day', 'leave-as-found'].map((name) => `tests/support/${name}.ts`).concat('tests/workerd/setup.ts'),
      // One more than the number of cores: a third of the time is spent waiting for timeouts.
      maxWorkers: 3,
      // Generous timeouts, because the machine may be busy; only a hanging test must fail.
      testTimeout: 10 * minute,
      hookTimeout: 10 * minute,
      expect: { poll: { timeout: 45_000 } },
    },
  }
})
