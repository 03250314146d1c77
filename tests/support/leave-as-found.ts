/** Restores all stubs and mocks after a file, for files that share one process. */
import { afterAll, vi } from 'vitest'
// Replaces the global `fetch` when it is first imported. Imported before any file stubs `fetch`: undoing that stub would undo the
// replacement, and a later file would read an endless body without its limit.
import '../../worker/lib/limited-global-fetch.ts'

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
