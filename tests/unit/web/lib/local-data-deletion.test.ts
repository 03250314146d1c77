// Signing out in any way deletes the user's data in the browser.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rootDir } from '../../../../scripts/lib/paths.ts'
import { edgesOf, readSources } from '../../../support/import-graph.ts'
import { stubLocalStorage } from '../local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  items = stubLocalStorage()
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('document', { addEventListener: () => undefined, getElementById: () => null })
})
afterEach(() => vi.unstubAllGlobals())

const sources = readSources(rootDir, ['web'])
const stores = sources.filter(({ text }) => text.includes('onLocalDataDeletion(delete')).map(({ path }) => path)

test('drafts and unsent texts are deleted; settings of the browser stay', async () => {
  for (const name of ['draft:thread-1', 'draft:new', 'write:message.1', 'sidebar']) items.set(`parley:${name}`, '{}')
  for (const path of stores) await import(join(rootDir, path))
  const { deleteLocalUserData } = await import('../../../../web/lib/local-user-data.ts')
  deleteLocalUserData()
  expect([...items.keys()]).toEqual(['parley:sidebar'])
})

test('a page loads every module that stores user data before it may delete the data', () => {
  const loaded = new Set<string>()
  const visit = (path: string) => {
    const source = sources.find((candidate) => candidate.path === path)
    if (!source || loaded.has(path)) return
    loaded.add(path)
    for (const { to, isLazy, isTypeOnly } of edgesOf(source)) if (!isLazy && !isTypeOnly) visit(to)
  }
  visit('web/routes/live.tsx')
  // Uploads are only in memory.
  expect(stores.filter((path) => !loaded.has(path))).toEqual(['web/features/chat/composer/attach-files.ts'])
  expect(stores.length).toBeGreaterThan(2)
})
