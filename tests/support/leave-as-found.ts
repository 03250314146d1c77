/** Restores all stubs and mocks after a file, for files that share one process. */
import { afterAll, vi } from 'vitest'
// This module replaces the global `fetch` when it is first imported. If a file stubbed `fetch` before that, removing the stub would also
// remove the replacement, and a later file would read an endless body without its limit.
import '../../worker/lib/limited-global-fetch.ts'

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
