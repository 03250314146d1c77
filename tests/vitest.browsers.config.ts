// The core scenario in Chromium, Firefox and WebKit. Not part of `npm test`, because machines seldom have all three.
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { rootDir } from '../scripts/lib/paths.ts'

const minute = 60_000

export default defineConfig({
  root: rootDir,
  cacheDir: join(rootDir, '.cache', 'vite-browsers'),
  test: {
    name: 'browsers',
    include: ['tests/browsers/**/*.test.ts'],
    testTimeout: 3 * minute,
    hookTimeout: 3 * minute,
    // Each test continues where the one before it ended.
    bail: 1,
    expect: { poll: { timeout: 45_000 } },
  },
})
