import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Draft, defaultChoices } from '../../../../../web/features/chat/composer/draft.ts'
import { newThreadKey } from '../../../../../worker/contract/threads/draft-key.ts'
import { stubWebStorage } from '../../local-storage.ts'
import { type Browser, openBrowser } from '../../pages.ts'

const load = async () => ({
  ...(await import('../../../../../web/features/chat/composer/begin-editing.ts')),
  ...(await import('../../../../../web/features/chat/composer/drafts.ts')),
})

let items: Map<string, string>
let browser: Browser
beforeEach(() => {
  vi.useFakeTimers()
  items = stubWebStorage('localStorage')
  browser = openBrowser()
  openTab()
})
afterEach(() => {
  // Test files share a module registry. The next file must not import the drafts of the last page.
  vi.resetModules()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The next pages are in this tab: `copied` is the sessionStorage that a duplicated tab starts with. */
function openTab(copied: ReadonlyMap<string, string> = new Map()): Map<string, string> {
  const session = stubWebStorage('sessionStorage')
  for (const [key, value] of copied) session.set(key, value)
  return session
}

type Page = Awaited<ReturnType<typeof openPage>>
const openPage = () => browser.openPage(load)
const offersOf = ({ offeredDrafts }: Page) => [...offeredDrafts.get().values()].map(({ text }) => text)

/** The next page of the same tab. Its lock is released only after that page has started. */
async function reload(page: Page): Promise<Page> {
  page.leave()
  const next = await openPage()
  page.end()
  return next
}

/** A page in a new tab with this draft. It writes before the next page opens, as the stubs always belong to the newest page. */
async function openTabWith(draft: Partial<Draft>): Promise<Page> {
  openTab()
  const page = await openPage()
  page.setDraft('thread-1', draft)
  vi.advanceTimersByTime(1000)
  return page
}

/** Opens another tab after this one was closed. */
async function openAfter(page: Page): Promise<Page> {
  page.leave()
  page.end()
  openTab()
  return openPage()
}

const file = { id: 'a-file-of-a-draft', name: 'a.png', mediaType: 'image/png', sizeBytes: 7 } as const
const content = { text: '', files: [], choices: defaultChoices }
const nothing = { ...content, editing: null, beforeEditing: content, uploading: [], interrupted: [], synced: null }
const editing = { messageId: 'message-1', parentId: null } as const

describe('drafts', () => {
  test('survive a reload, each under its thread', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'one' })
    page.setDraft('thread-2', { text: 'two' })
    const again = await reload(page)
    expect(['thread-1', 'thread-2', 'thread-3'].map((key) => again.draftOf(key).get().text)).toEqual(['one', 'two', ''])
  })

  test('keep their files over a reload, also without text; invalid files are dropped', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { files: [file] })
    expect((await reload(page)).draftOf('thread-1').get().files).toEqual([file])
    const broken = { key: 'thread-2', pageId: 'closed', text: 'kept', files: [{ ...file, mediaType: 'image/svg+xml' }] }
    items.set('parley:draft:thread-2.closed', JSON.stringify(broken))
    expect((await openPage()).draftOf('thread-2').get()).toEqual({ ...nothing, text: 'kept' })
  })

  test('are written soon after the last key, without waiting for the page to close', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'a' })
    page.setDraft('thread-1', { text: 'ab' })
    expect(items.size).toBe(0)
    vi.advanceTimersByTime(1000)
    expect(items.size).toBe(1)
    expect(Array.from(items.values())[0]).toContain('"ab"')
  })

  test('leave nothing behind once they are sent', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'sent' })
    page.leave()
    page.takeMessage('thread-1', 'thread-1')
    page.leave()
    expect(items.size).toBe(0)
  })

  test('editing replaces the draft and restores it, also over a reload', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'half a thought' })
    page.beginEditing('thread-1', editing, { text: 'the old message', files: [file], mode: 'search', origins: [] })
    const again = await reload(page)
    expect(again.draftOf('thread-1').get()).toEqual({
      ...nothing,
      ...{ text: 'the old message', files: [file], choices: { ...defaultChoices, mode: 'search' } },
      editing,
      beforeEditing: { ...content, text: 'half a thought' },
    })
    again.endEditing('thread-1')
    expect(again.draftOf('thread-1').get()).toEqual({ ...nothing, text: 'half a thought' })
  })

  test('editing another message keeps the original draft', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'half a thought' })
    page.beginEditing('thread-1', editing, { text: 'one', files: [], mode: 'chat', origins: [] })
    page.beginEditing('thread-1', { messageId: 'message-2', parentId: 'message-1' }, { text: 'two', files: [], mode: 'chat', origins: [] })
    expect(page.draftOf('thread-1').get().beforeEditing.text).toBe('half a thought')
  })

  test('a refused first message moves back to the new thread, unless there is a new draft', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'refused' })
    page.moveDraft('thread-1', 'new')
    expect(page.draftOf('new').get().text).toBe('refused')
    page.setDraft('thread-2', { text: 'also refused' })
    page.moveDraft('thread-2', 'new')
    expect(page.draftOf('new').get().text).toBe('refused')
    expect(page.draftOf('thread-2').get().text).toBe('also refused')
  })

  test.each(['', '{', 'null', '7', '{"pageId":"closed","key":"thread-1","text":7,"editing":{"messageId":1},"uploading":7}'])(
    '%j in storage is an empty draft',
    async (stored) => {
      items.set('parley:draft:thread-1.closed', stored)
      const page = await openPage()
      expect(page.draftOf('thread-1').get()).toEqual(nothing)
    },
  )

  test('work without storage', async () => {
    vi.stubGlobal('localStorage', undefined)
    const page = await openPage()
    page.setDraft('thread-1', { text: 'kept for as long as the page' })
    page.leave()
    expect(page.draftOf('thread-1').get().text).toBe('kept for as long as the page')
  })

  test('are deleted on signing out, without other data', async () => {
    items.set('parley:sidebar', 'open')
    const page = await openPage()
    page.setDraft('thread-1', { text: 'private' })
    page.leave()
    page.deleteDrafts()
    page.leave()
    expect(Array.from(items.keys())).toEqual(['parley:sidebar'])
    expect(page.draftOf('thread-1').get().text).toBe('')
  })
})

test('the draft of a deleted thread is deleted from the page and the storage, and no other is', async () => {
  const { setDraft, draftOf, threadsWithDrafts, deleteDraft, leave } = await openPage()
  setDraft('thread-gone', { text: 'secret' })
  setDraft('thread-here', { text: 'kept' })
  setDraft(newThreadKey, { text: 'of no thread' })
  leave()
  expect(threadsWithDrafts().toSorted()).toEqual(['thread-gone', 'thread-here'])
  setDraft('thread-gone', { text: 'secret, and not written yet' })
  deleteDraft('thread-gone')
  leave()
  expect(draftOf('thread-gone').get()).toEqual(nothing)
  expect(threadsWithDrafts()).toEqual(['thread-here'])
  expect([...items.keys()].filter((key) => !key.includes(newThreadKey))).toEqual([expect.stringMatching(/^parley:draft:thread-here\./)])
})

test('a text that replaces a draft is stored at once, and the draft is offered', async () => {
  const { setDraft, replaceDraft, end } = await openPage()
  setDraft('thread-1', { text: 'half a thought' })
  // A double click.
  for (let click = 0; click < 2; click++)
    replaceDraft('thread-1', { text: 'from the queue', choices: { ...defaultChoices, mode: 'search' } })
  end()
  const { draftOf, offeredDrafts } = await openPage()
  await expect.poll(() => draftOf('thread-1').get()).toMatchObject({ text: 'from the queue', choices: { mode: 'search' } })
  expect([...offeredDrafts.get().values()].map(({ text }) => text)).toEqual(['half a thought'])
})

describe('two tabs on one thread', () => {
  /** Two open tabs with a draft each. */
  const openTwoTabs = async () => [await openTabWith({ text: 'one' }), await openTabWith({ text: 'two' })] as const
  const close = (closed: Page, next: Page) => {
    closed.end()
    next.look()
  }

  test('each tab keeps its draft', async () => {
    await openTabWith({ text: 'one' })
    openTab()
    const second = await openPage()
    expect([second.draftOf('thread-1').get().text, offersOf(second)]).toEqual(['', []])
    second.setDraft('thread-1', { text: 'two' })
    const reloaded = await reload(second)
    expect([reloaded.draftOf('thread-1').get().text, offersOf(reloaded)]).toEqual(['two', []])
    expect(items.size).toBe(2)
  })

  test('a duplicated tab does not take the draft of the tab it was copied from', async () => {
    const session = openTab()
    const page = await reload(await openPage())
    page.setDraft('thread-1', { text: 'one' })
    vi.advanceTimersByTime(1000)
    openTab(session)
    const copy = await openPage()
    expect([copy.draftOf('thread-1').get().text, offersOf(copy)]).toEqual(['', []])
  })

  test('the draft of a closed or crashed tab is restored into an empty composer', async () => {
    const next = await openAfter(await openTabWith({ text: 'one' }))
    expect([next.draftOf('thread-1').get().text, offersOf(next)]).toEqual(['one', []])
    next.end()
    openTab()
    expect((await openPage()).draftOf('thread-1').get().text).toBe('one')
    expect(items.size).toBe(1)
  })

  test('offers the draft of a closed tab in addition to another draft, and using it offers the other one', async () => {
    const [first, second] = await openTwoTabs()
    close(first, second)
    expect([second.draftOf('thread-1').get().text, offersOf(second)]).toEqual(['two', ['one']])
    const restoreOnly = () => second.restoreOffered([...second.offeredDrafts.get().keys()][0] ?? '')
    restoreOnly()
    expect([second.draftOf('thread-1').get().text, offersOf(second)]).toEqual(['one', ['two']])
    restoreOnly()
    expect([second.draftOf('thread-1').get().text, offersOf(second)]).toEqual(['two', ['one']])
    const next = await reload(second)
    expect([next.draftOf('thread-1').get().text, offersOf(next)]).toEqual(['two', ['one']])
  })

  test('after a reload, the composer has its draft, and the other one is still offered', async () => {
    const [first, second] = await openTwoTabs()
    close(first, second)
    const next = await reload(second)
    expect([next.draftOf('thread-1').get().text, offersOf(next)]).toEqual(['two', ['one']])
    const other = await openAfter(next)
    expect([other.draftOf('thread-1').get().text, offersOf(other)]).toEqual(['two', ['one']])
  })

  test('sending clears only the tab’s draft; a dismissed offer is deleted and restores no other', async () => {
    const [first, third] = await openTwoTabs()
    const second = await openTabWith({ text: 'three' })
    close(first, second)
    close(third, second)
    expect(offersOf(second).toSorted()).toEqual(['one', 'two'])
    second.takeMessage('thread-1', 'thread-1')
    const [id = ''] = second.offeredDrafts.get().keys()
    second.dismissOffered(id)
    expect(second.draftOf('thread-1').get().text).toBe('')
    expect(offersOf(second)).toHaveLength(1)
    second.leave()
    expect(items.size).toBe(1)
  })

  test('does not offer a draft with the same content', async () => {
    const first = await openTabWith({ text: 'two' })
    const second = await openTabWith({ text: 'two' })
    close(first, second)
    expect([second.draftOf('thread-1').get().text, offersOf(second), items.size]).toEqual(['two', [], 1])
  })

  test('signing out removes the drafts of all tabs', async () => {
    const [first, second] = await openTwoTabs()
    close(first, second)
    second.deleteDrafts()
    second.leave()
    expect([items.size, offersOf(second), second.draftOf('thread-1').get().text]).toEqual([0, [], ''])
  })
})

describe('uploads that did not finish', () => {
  test('are named after a reload until the message is sent; finished files stay attached', async () => {
    const page = await openTabWith({ text: 'see the report', files: [file], uploading: ['report.pdf'] })
    const next = await reload(page)
    expect(next.draftOf('thread-1').get()).toEqual({ ...nothing, text: 'see the report', files: [file], interrupted: ['report.pdf'] })
    const again = await reload(next)
    expect(again.draftOf('thread-1').get().interrupted).toEqual(['report.pdf'])
    again.takeMessage('thread-1', 'thread-1')
    again.leave()
    expect(items.size).toBe(0)
  })

  test('are named together with the draft of another tab', async () => {
    const page = await openTabWith({ uploading: ['a.pdf'] })
    const other = await openTabWith({ text: 'two', uploading: ['b.pdf'] })
    page.end()
    other.look()
    expect(other.draftOf('thread-1').get()).toEqual({ ...nothing, text: 'two', uploading: ['b.pdf'], interrupted: ['a.pdf'] })
    expect(offersOf(other)).toEqual([])
  })

  test('of a closed tab do not replace uploads that run here', async () => {
    const page = await openTabWith({ text: 'one' })
    const other = await openTabWith({ uploading: ['b.pdf'] })
    page.end()
    other.look()
    expect([other.draftOf('thread-1').get().uploading, offersOf(other)]).toEqual([['b.pdf'], ['one']])
    other.restoreOffered([...other.offeredDrafts.get().keys()][0] ?? '')
    expect(other.draftOf('thread-1').get()).toEqual({ ...nothing, text: 'one', uploading: ['b.pdf'] })
  })
})
