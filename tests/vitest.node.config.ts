// Tests that run in Node, from quickest to slowest. `unit` and `sim` import the sources; `product` and `e2e` start what `npm run build` built.
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'
import { rootDir } from '../scripts/lib/paths.ts'

const long = Boolean(process.env.PARLEY_LONG)
const minute = 60_000

export default defineConfig({
  root: rootDir,
  cacheDir: join(rootDir, '.cache', 'vite-node'),
  test: {
    projects: [
      {
        extends: true,
        plugins: [react()],
        test: { name: 'unit', include: ['tests/unit/**/*.test.{ts,tsx}', 'tests/web/**/*.test.{ts,tsx}'], environment: 'node' },
      },
      { extends: true, test: { name: 'sim', include: ['tests/sim/**/*.test.ts'], testTimeout: (long ? 60 : 5) * minute } },
      // Each file starts servers of its own: one file at a time, or two cores measure each other.
      {
        extends: true,
        test: {
          name: 'product',
          include: ['tests/product/**/*.test.ts'],
          testTimeout: (long ? 30 : 1) * minute,
          hookTimeout: minute,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['tests/e2e/**/*.test.ts'],
          testTimeout: (long ? 30 : 1) * minute,
          hookTimeout: minute,
          fileParallelism: false,
        },
      },
    ],
  },
})
