/** Writes of drafts to the server whose outcome is late, refused or never arrives. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { DraftSyncState } from '../../../../../web/features/chat/composer/text-tools/draft-step.ts'
import type { Outcome } from '../../../../../web/sync/outcome.ts'
import { sentRevision } from '../../../../../worker/contract/threads/draft-key.ts'
import type { SaveDraftArgs } from '../../../../../worker/contract/threads/server-args.ts'
import { createRng } from '../../../../support/rng.ts'
import { stubWebStorage } from '../../local-storage.ts'
import { type Browser, openBrowser } from '../../pages.ts'

const load = async () => ({
  ...(await import('../../../../../web/features/chat/composer/drafts.ts')),
  ...(await import('../../../../../web/features/chat/composer/text-tools/draft-step.ts')),
  ...(await import('../../../../../web/features/chat/composer/pending-writes.ts')),
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
  draftStep({ local: draftOf(key).get(), row, written: undefined, isFocused: false, isTyping: false })
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
    page.takeMessage(key, key)
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

/**
 * The server's draft, and one device whose writes, rows and outcomes arrive later, in order. A write outlives its page, unless it is lost with
 * it; its outcome does not.
 */
function createDevice(first: Page) {
  let page = first
  let isOpen = true
  let server = { revision: '', text: '' }
  let row: DraftSyncState['row']
  const toServer: (() => void)[] = []
  const toPage: (() => void)[] = []
  const end = (revision: string) => {
    server = { revision, text: '' }
  }
  const showRow = (then?: () => unknown) => {
    const seen = server.revision === '' ? undefined : server
    return () => {
      row = seen
      then?.()
    }
  }
  /** Runs `apply` on the server, then shows the row to the page that is open by then, and resolves for the page that asked. */
  const request = (apply: () => Outcome) => {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const asking = page
    toServer.push(() => {
      const outcome = apply()
      toPage.push(showRow(() => asking === page && resolve(outcome)))
    })
    return promise
  }
  const save = ({ text, revision, base }: SaveDraftArgs) =>
    request(() => {
      // After a reload, an earlier write may have arrived that the page did not rely on.
      if (server.text !== '' && server.revision !== base) return refused
      if (text !== '') server = { revision, text }
      else if (server.text !== '') end(revision)
      return { ok: true }
    })
  const stateOf = (): DraftSyncState => ({
    local: page.draftOf(key).get(),
    row,
    written: page.writesOf(key).get()?.text,
    isFocused: false,
    isTyping: false,
  })
  const write = () => void page.writeDraft(save, key, { threadId: key, text: page.savedText(page.draftOf(key).get().text) })
  return {
    text: () => page.draftOf(key).get().text,
    serverText: () => server.text,
    /** The composer renders, and its pause ends. */
    render: () => {
      const step = page.draftStep(stateOf())
      if (!isOpen) return
      if (row && (step === 'acceptRevision' || step === 'replaceText')) page.acceptRow(key, row, step)
      if (step === 'save' && !page.writesOf(key).get()) write()
    },
    type: (text: string) => isOpen && page.setDraft(key, { text }),
    leave: () => {
      if (isOpen && page.draftStep(stateOf()) === 'save') write()
      isOpen = false
    },
    enter: () => {
      isOpen = true
    },
    send: () => {
      if (!isOpen || page.draftOf(key).get().text === '') return
      const revision = page.latestRevision(page.draftOf(key).get().synced)
      const outcome = request(() => {
        if (revision && server.text !== '' && server.revision === revision) end(sentRevision(revision))
        return { ok: true }
      })
      void page.trackWrite(key, '', outcome)
      page.takeMessage(key, key)
    },
    /** The last writes that were not delivered are lost. */
    reload: async (lost: number) => {
      page = await reload(page)
      row = undefined
      toServer.splice(Math.max(0, toServer.length - lost))
      toPage.push(showRow())
    },
    serve: () => toServer.shift()?.(),
    receive: () => toPage.shift()?.(),
    isIdle: () => toServer.length + toPage.length === 0,
  }
}

const seeds = Array.from({ length: 25 }, (_, index) => index)

test.each(seeds)('the last text wins, here and on the server, in a random history of one device (seed %i)', async (seed) => {
  const rng = createRng(seed)
  const device = createDevice(await openPage())
  let [expected, count] = ['', 0]
  const history: string[] = []
  for (let step = 0; step < 150; step += 1) {
    const way = rng.pick(['type', 'clear', 'send', 'leave', 'enter', 'enter', 'reload', 'serve', 'receive', 'render', 'render'] as const)
    history.push(way)
    if (way === 'type' || way === 'clear') device.type(way === 'type' ? `text ${count++}` : '')
    else await device[way](rng.below(3))
    if (way === 'type' || way === 'clear' || way === 'send') expected = device.text()
    await vi.advanceTimersByTimeAsync(0)
    expect(device.text(), history.join(', ')).toBe(expected)
  }
  device.enter()
  for (let step = 0; step < 200; step += 1) {
    device.render()
    device.serve()
    device.receive()
    await vi.advanceTimersByTimeAsync(0)
    expect(device.text(), history.join(', ')).toBe(expected)
  }
  expect([device.isIdle(), device.serverText()], history.join(', ')).toEqual([true, expected])
})

test('a text that was cleared while its first write was under way, and a thread that was left at once, end on the server', async () => {
  const device = createDevice(await openPage())
  device.type('cleared')
  device.render()
  device.type('')
  device.leave()
  for (let index = 0; index < 2; index += 1) {
    device.serve()
    device.receive()
    await vi.advanceTimersByTimeAsync(0)
  }
  expect([device.isIdle(), device.serverText(), device.text()]).toEqual([true, '', ''])
})
