// Signing out in any way deletes the user's data in the browser, by one function for all stores.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rootDir } from '../../../../scripts/lib/paths.ts'
import { stubLocalStorage } from './local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  items = stubLocalStorage()
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('document', { addEventListener: () => undefined })
})
afterEach(() => vi.unstubAllGlobals())

test('drafts, modes and unsent texts are deleted; settings of the browser stay', async () => {
  for (const name of ['draft:thread-1', 'draft:new', 'mode:thread-1', 'unsent:message-1', 'new-effort', 'sidebar'])
    items.set(`parley:${name}`, '{}')
  const { forgetEverythingUnsent } = await import('../../../../web/stores/forget.ts')
  forgetEverythingUnsent()
  expect([...items.keys()]).toEqual(['parley:sidebar'])
})

test.each(['features/account/logout-dialog.tsx', 'features/account/delete-dialog.tsx', 'routes/_live.tsx'])(
  '%s clears all of them',
  (file) => {
    expect(readFileSync(join(rootDir, 'web', file), 'utf8')).toMatch(/^\s+forgetEverythingUnsent\(\)$/m)
  },
)
