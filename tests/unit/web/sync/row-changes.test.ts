// Titles, deletions and settings whose page closed before the server confirmed them.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { statusOfChange } from '../../../../web/features/shell/resend-row-changes.tsx'
import type { RowChange } from '../../../../web/sync/row-changes.ts'
import { stubLocalStorage } from '../local-storage.ts'
import { type Browser, openBrowser } from '../pages.ts'

const load = () => import('../../../../web/sync/row-changes.ts')

let items: Map<string, string>
let browser: Browser
beforeEach(() => {
  items = stubLocalStorage()
  browser = openBrowser()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const openPage = () => browser.openPage(load)
const title: RowChange = { kind: 'title', threadId: 't', value: 'Winter', was: ['Snow'] }
const deletion: RowChange = { kind: 'deletion', threadId: 't', updatedAt: 5 }
const never = new Promise<{ readonly ok: true }>(() => undefined)

test.each<[string, RowChange, Parameters<typeof statusOfChange>[1], ReturnType<typeof statusOfChange>]>([
  ['a title that is still the earlier one', title, { value: 'Snow' }, 'resend'],
  ['a title that arrived', title, { value: 'Winter' }, 'settled'],
  ['a title that was changed elsewhere', title, { value: 'Frost' }, 'settled'],
  ['a title of a deleted thread', title, null, 'settled'],
  ['a thread that is as it was when it was deleted', deletion, { updatedAt: 5 }, 'resend'],
  ['a thread that has a newer message', deletion, { updatedAt: 6 }, 'settled'],
  ['a setting without a value before', { kind: 'setting', name: 'mode', value: 'light', was: [null] }, {}, 'resend'],
  ['a list that is still the earlier one', { kind: 'setting', name: 'pins', value: ['a'], was: [['b']] }, { value: ['b'] }, 'resend'],
])('%s: %s', (_, change, row, status) => {
  expect(statusOfChange(change, row)).toBe(status)
})

test('a change survives its page until its outcome is known', async () => {
  const page = await openPage()
  void page.trackChange(title, never)
  await page.trackChange(deletion, Promise.resolve({ ok: true }))
  page.end()
  expect([...(await openPage()).orphanedChanges.get()]).toEqual([['title.t', title]])
})

test('a second change of the same row keeps the value before both', async () => {
  const page = await openPage()
  void page.trackChange(title, never)
  void page.trackChange({ ...title, value: 'Ice', was: ['Winter'] }, never)
  page.end()
  const [change] = [...(await openPage()).orphanedChanges.get().values()]
  expect(change).toEqual({ ...title, value: 'Ice', was: ['Snow', 'Winter', 'Winter'] })
})

test('settings are compared to those on screen, and deleted on signing out', async () => {
  const page = await openPage()
  page.rememberSettings({ mode: 'dark' })
  void page.trackSettings({ mode: 'light', theme: 'claude' }, never)
  page.end()
  const next = await openPage()
  expect([...next.orphanedChanges.get().values()]).toEqual([
    { kind: 'setting', name: 'mode', value: 'light', was: ['dark'] },
    { kind: 'setting', name: 'theme', value: 'claude', was: [null] },
  ])
  next.deleteRowChanges()
  expect(next.orphanedChanges.get().size).toBe(0)
  expect([...items.keys()]).toEqual([])
})

test('a deletion that was undone is not repeated', async () => {
  const page = await openPage()
  void page.trackChange(deletion, never)
  page.resolveDeletion('t')
  page.end()
  expect((await openPage()).orphanedChanges.get().size).toBe(0)
})
