/** Writes of drafts to the server whose outcome is late, refused or never arrives. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DraftSyncState } from '../../../../../web/features/chat/composer/text-tools/draft-step.ts'
import type { Outcome } from '../../../../../web/sync/outcome.ts'
import type { SaveDraftArgs } from '../../../../../worker/contract/draft-args.ts'
import { sentRevision } from '../../../../../worker/contract/draft-key.ts'
import { stubWebStorage } from '../../local-storage.ts'
import { type Browser, openBrowser } from '../../pages.ts'

const load = async () => ({
  ...(await import('../../../../../web/features/chat/composer/drafts.ts')),
  ...(await import('../../../../../web/features/chat/composer/text-tools/draft-step.ts')),
  ...(await import('../../../../../web/features/chat/composer/write-draft.ts')),
})
type Page = Awaited<ReturnType<typeof openPage>>
const openPage = () => browser.openPage(load)

let items: Map<string, string>
let browser: Browser
beforeEach(() => {
  vi.useFakeTimers()
  items = stubWebStorage('localStorage')
  stubWebStorage('sessionStorage')
  browser = openBrowser()
})
afterEach(() => {
  // Test files share a module registry. The next file must not import the drafts of the last page.
  vi.resetModules()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const key = 'thread-1'
const refused: Outcome = { ok: false, refusal: { code: 'draft_changed' } }

/** Starts a write of this text from a composer. `end`: its outcome arrives. */
function write(page: Page, text: string) {
  page.setDraft(key, { text })
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const sent: SaveDraftArgs[] = []
  const save = (args: SaveDraftArgs) => {
    sent.push(args)
    return promise
  }
  const written = page.writeDraft(save, key, { threadId: key, text })
  const end = async (outcome: Outcome) => {
    resolve(outcome)
    await written
  }
  return { ...(sent[0] as SaveDraftArgs), end }
}

/** The step of a composer without the focus. */
const stepOf = ({ draftOf, draftStep }: Page, row: DraftSyncState['row']) =>
  draftStep({ local: draftOf(key).get(), row, isPending: false, isFocused: false, isTyping: false })
const accept = (page: Page, row: NonNullable<DraftSyncState['row']>) => {
  expect(stepOf(page, row)).toBe('acceptRevision')
  page.setDraft(key, { synced: page.syncedTo(page.draftOf(key).get().synced, row) })
}
const sentRow = (revision: string) => ({ revision: sentRevision(revision), text: '' })
const syncedOf = ({ draftOf }: Page) => draftOf(key).get().synced

async function reload(page: Page): Promise<Page> {
  page.leave()
  const next = await openPage()
  page.end()
  return next
}

test('a text that was deleted before its write had an outcome does not return after a reload, and ends on the server', async () => {
  const page = await openPage()
  const { revision, text } = write(page, 'deleted')
  page.setDraft(key, { text: '' })
  const next = await reload(page)
  accept(next, { revision, text })
  expect(next.draftOf(key).get().text).toBe('')
  expect(stepOf(next, { revision, text })).toBe('save')
})

test('a text that was deleted before its write succeeded does not return after a reload, and ends on the server', async () => {
  const page = await openPage()
  const { revision, text, end } = write(page, 'deleted')
  page.setDraft(key, { text: '' })
  await end({ ok: true })
  expect(stepOf(await reload(page), { revision, text })).toBe('save')
})

test.each(['row', 'outcome'])(
  'a message that was sent before its draft had an outcome leaves nothing in storage (%s first)',
  async (first) => {
    const page = await openPage()
    const { revision, end } = write(page, 'sent')
    page.endEditing(key)
    if (first === 'row') accept(page, sentRow(revision))
    await end({ ok: true })
    if (first === 'outcome') accept(page, sentRow(revision))
    page.leave()
    expect([syncedOf(page), items.size]).toEqual([{ ...sentRow(revision), pendingRevisions: [] }, 0])
  },
)

test('a message that was sent before its draft had an outcome leaves nothing in storage after a reload', async () => {
  const page = await openPage()
  const { revision } = write(page, 'sent')
  page.setDraft(key, { text: '' })
  const next = await reload(page)
  accept(next, sentRow(revision))
  next.leave()
  expect(items.size).toBe(0)
})

test('a write without an outcome is the base of the next write', async () => {
  const page = await openPage()
  const first = write(page, 'a')
  const second = write(page, 'ab')
  expect([first.base, second.base]).toEqual([null, first.revision])
  await first.end({ ok: true })
  await second.end({ ok: true })
  expect(syncedOf(page)).toEqual({ revision: second.revision, text: 'ab', pendingRevisions: [] })
})

test('a write without an outcome of an earlier page is not the base of the next write, because it may be lost', async () => {
  const page = await openPage()
  await write(page, 'a').end({ ok: true })
  const saved = syncedOf(page)
  const lost = write(page, 'ab')
  const next = await reload(page)
  expect(syncedOf(next)).toEqual({ ...saved, pendingRevisions: [lost.revision] })
  expect(write(next, 'abc').base).toBe(saved?.revision)
})

test('a refused write ends, and the earlier ones stay pending', async () => {
  const page = await openPage()
  const first = write(page, 'a')
  await write(page, 'ab').end(refused)
  expect(syncedOf(page)).toEqual({ revision: null, text: '', pendingRevisions: [first.revision] })
})

test('a write that the sync client has not delivered stays pending', async () => {
  const page = await openPage()
  const { revision, end } = write(page, 'a')
  await end({ ok: true, isPending: true })
  expect(syncedOf(page)).toEqual({ revision: null, text: '', pendingRevisions: [revision] })
})

test('the outcome of a write does not replace the state of a later row', async () => {
  const page = await openPage()
  const first = write(page, 'a')
  const second = write(page, 'ab')
  accept(page, { revision: second.revision, text: 'ab' })
  await first.end({ ok: true })
  expect(syncedOf(page)).toEqual({ revision: second.revision, text: 'ab', pendingRevisions: [] })
})

test('a text that returns to the composer before the end of its draft has an outcome stays there, and is a draft again', async () => {
  const page = await openPage()
  await write(page, 'kept').end({ ok: true })
  const { revision } = write(page, '')
  page.setDraft(key, { text: 'kept' })
  accept(page, { revision, text: '' })
  expect(page.draftOf(key).get().text).toBe('kept')
  expect(stepOf(page, { revision, text: '' })).toBe('save')
})
