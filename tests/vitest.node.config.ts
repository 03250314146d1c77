// Tests that run in Node, from quickest to slowest. `unit` and `sim` import the sources; `product` and `e2e` start what `npm run build` built.
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { rootDir } from '../scripts/lib/paths.ts'

const long = Boolean(process.env.PARLEY_LONG)
/** Folders named `long` run only in long runs. */
const exclude = ['**/node_modules/**', ...(long ? [] : ['tests/*/long/**'])]
const minute = 60_000
/** The number of concurrent workers: by default the runner would leave one of two cores idle. */
const maxWorkers = 2
/** Generous timeouts, because the machine may be busy; only a hanging test must fail. */
const poll = { timeout: 90_000 }
const audited = { setupFiles: ['within-a-day', 'audit-each'].map((name) => join(rootDir, `tests/support/${name}.ts`)) }
/** The base class of objects, for objects that run in Node. */
const platform = { alias: { 'cloudflare:workers': join(rootDir, 'tests/support/node-object/cloudflare-workers.ts') } }

/**
 * Files that take long for their size. The runner starts large files first. It would start these late, and one worker would still be busy
 * with them after the others have finished.
 */
const longFiles = [
  ...['product/backlog.test.ts', 'product/deploy.test.ts', 'product/failure.test.ts'],
  ...['e2e/devices.test.ts', 'e2e/research.test.ts', 'e2e/screens/chat.test.ts', 'e2e/undo.test.ts'],
]

class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => Number(longFiles.some((name) => moduleId.endsWith(name)))
    return (await super.sort(files)).sort((a, b) => isLong(b) - isLong(a))
  }
}

export default defineConfig({
  root: rootDir,
  cacheDir: join(rootDir, '.cache', 'vite-node'),
  test: {
    maxWorkers,
    // Loading all modules again for each file took a sixth of the processor time. leave-as-found restores
    // stubs and mocks; a file restores everything else that it changes.
    isolate: false,
    setupFiles: [join(rootDir, 'tests/support/leave-as-found.ts')],
    sequence: { sequencer: LongFilesFirst },
    projects: [
      {
        extends: true,
        plugins: [react()],
        resolve: platform,
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.{ts,tsx}', 'tests/web/**/*.test.{ts,tsx}'],
          environment: 'node',
          // Ends hanging tests; the runner's default of five seconds also ends slow ones on a busy machine.
          testTimeout: 10 * minute,
          hookTimeout: 10 * minute,
          expect: { poll },
        },
      },
      {
        extends: true,
        resolve: platform,
        test: {
          name: 'sim',
          include: ['tests/sim/**/*.test.ts'],
          testTimeout: (long ? 60 : 15) * minute,
          hookTimeout: 10 * minute,
          expect: { poll },
        },
      },
      // Each file of these two starts and kills servers and waits for others.
      {
        extends: true,
        test: {
          name: 'product',
          // Files wait for servers half of the time.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
          // A directory and two content databases. `e2e` runs as `npm start` does, with everything in one.
          env: { CONTENT_DATABASES: '2' },
          include: ['tests/product/**/*.test.ts'],
          exclude,
          ...audited,
          testTimeout: (long ? 30 : 10) * minute,
          hookTimeout: 5 * minute,
          expect: { poll },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          exclude,
          ...audited,
          // Files share a browser. Each starts its product and contexts.
          // Files often wait for timers and servers; some wait half a minute for undo to expire. With more workers, pages on a slow machine
          // need longer than the half minute within which a deletion can be undone.
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
          // Each wait has a timeout. This one only ends hanging tests; some sixty screens on a slow machine take long.
          testTimeout: (long ? 30 : 10) * minute,
          hookTimeout: 3 * minute,
          expect: { poll },
        },
      },
    ],
  },
})
