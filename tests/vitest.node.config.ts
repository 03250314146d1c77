// Tests that run in Node, from quickest to slowest. `unit` and `sim` import the sources; `product` and `e2e` start what `npm run build` built.
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { rootDir } from '../scripts/lib/paths.ts'

const long = Boolean(process.env.PARLEY_LONG)
const minute = 60_000
/** What runs at once: by itself the runner would leave one of two cores to nobody. */
const maxWorkers = 2
/** What a person waits for takes as long as the machine is busy; only what never comes is wrong. */
const poll = { timeout: 45_000 }
const audited = { setupFiles: ['within-a-day', 'audit-each'].map((name) => join(rootDir, `tests/support/${name}.ts`)) }
/** Objects that run in Node get the one class they extend from here. */
const platform = { alias: { 'cloudflare:workers': join(rootDir, 'tests/support/node-object/cloudflare-workers.ts') } }

export default defineConfig({
  root: rootDir,
  cacheDir: join(rootDir, '.cache', 'vite-node'),
  test: {
    maxWorkers,
    projects: [
      {
        extends: true,
        plugins: [react()],
        resolve: platform,
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.{ts,tsx}', 'tests/web/**/*.test.{ts,tsx}'],
          environment: 'node',
          // Loading everything anew for each file took longer than most of the tests. What a file changes for all, it leaves as it was.
          isolate: false,
          setupFiles: [join(rootDir, 'tests/support/leave-as-found.ts')],
          // Ends what hangs; the five seconds of the runner also end what a busy machine is slow at.
          testTimeout: 3 * minute,
          hookTimeout: 3 * minute,
          expect: { poll },
        },
      },
      {
        extends: true,
        resolve: platform,
        test: {
          name: 'sim',
          include: ['tests/sim/**/*.test.ts'],
          testTimeout: (long ? 60 : 5) * minute,
          hookTimeout: 3 * minute,
          expect: { poll },
        },
      },
      // Each file of these two starts servers of its own, kills some of them and waits for others.
      {
        extends: true,
        test: {
          name: 'product',
          // A directory and two content databases. `e2e` runs as `npm start` does, with everything in one.
          env: { CONTENT_DATABASES: '2' },
          include: ['tests/product/**/*.test.ts'],
          ...audited,
          testTimeout: (long ? 30 : 3) * minute,
          hookTimeout: 3 * minute,
          expect: { poll },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          ...audited,
          // Files share what they import and a browser. What they stand on, a product and contexts, each starts for itself.
          isolate: false,
          // Files wait for timers and servers much of the time; some wait half a minute for an undo to expire.
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
          // Each wait has its own end. This one only ends what hangs, and some sixty screens on a slow machine do not.
          testTimeout: (long ? 30 : 10) * minute,
          hookTimeout: 3 * minute,
          expect: { poll },
        },
      },
    ],
  },
})
