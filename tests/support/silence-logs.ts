import { afterEach, beforeEach, vi } from 'vitest'

/** Silences the console in the tests of a file that cause faults, because the Worker logs them. */
export function silenceLogs(): void {
  beforeEach(() => {
    for (const level of ['info', 'warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined)
  })
  afterEach(() => void vi.restoreAllMocks())
}
