import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

type Drafts = typeof import('../../../../web/stores/drafts.ts')

/** A page: the module anew, over the same storage. */
async function openPage(): Promise<Drafts & { readonly leave: () => void }> {
  vi.resetModules()
  const page = new EventTarget()
  vi.stubGlobal('window', page)
  const drafts = await import('../../../../web/stores/drafts.ts')
  return { ...drafts, leave: () => void page.dispatchEvent(new Event('pagehide')) }
}

function stubStorage() {
  const items = new Map<string, string>()
  const storage = {
    get length() {
      return items.size
    },
    key: (index: number) => Array.from(items.keys())[index] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
  vi.stubGlobal('localStorage', storage)
  return items
}

let items: Map<string, string>
beforeEach(() => {
  vi.useFakeTimers()
  items = stubStorage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const file = { id: 'a-file-of-a-draft', name: 'a.png', mediaType: 'image/png', sizeBytes: 7 } as const
const nothing = { text: '', files: [], editing: null, aside: { text: '', files: [] } }
const editing = { messageId: 'message-1', parentId: null, mode: 'search' } as const

describe('drafts', () => {
  test('survive a reload, each under its thread', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'one' })
    page.setDraft('thread-2', { text: 'two' })
    page.leave()
    const again = await openPage()
    expect(again.draftOf('thread-1').get().text).toBe('one')
    expect(again.draftOf('thread-2').get().text).toBe('two')
    expect(again.draftOf('thread-3').get().text).toBe('')
  })

  test('keep their files over a reload, also without a word; what is no file is none', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { files: [file] })
    page.leave()
    expect((await openPage()).draftOf('thread-1').get().files).toEqual([file])
    items.set('parley:draft:thread-2', JSON.stringify({ text: 'kept', files: [{ ...file, mediaType: 'image/svg+xml' }] }))
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
    page.endEditing('thread-1')
    page.leave()
    expect(items.size).toBe(0)
  })

  test('editing borrows the composer and gives it back, over a reload too', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'half a thought' })
    page.beginEditing('thread-1', editing, { text: 'the old message', files: [file] })
    page.leave()
    const again = await openPage()
    expect(again.draftOf('thread-1').get()).toEqual({
      text: 'the old message',
      files: [file],
      editing,
      aside: { text: 'half a thought', files: [] },
    })
    again.endEditing('thread-1')
    expect(again.draftOf('thread-1').get()).toEqual({ ...nothing, text: 'half a thought' })
  })

  test('editing another message keeps the first thing that stood there', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'half a thought' })
    page.beginEditing('thread-1', editing, { text: 'one', files: [] })
    page.beginEditing('thread-1', { messageId: 'message-2', parentId: 'message-1', mode: 'chat' }, { text: 'two', files: [] })
    expect(page.draftOf('thread-1').get().aside.text).toBe('half a thought')
  })

  test('a refused first message moves back to the new thread, unless something new stands there', async () => {
    const page = await openPage()
    page.setDraft('thread-1', { text: 'refused' })
    page.moveDraft('thread-1', page.newThreadKey)
    expect(page.draftOf(page.newThreadKey).get().text).toBe('refused')
    page.setDraft('thread-2', { text: 'also refused' })
    page.moveDraft('thread-2', page.newThreadKey)
    expect(page.draftOf(page.newThreadKey).get().text).toBe('refused')
    expect(page.draftOf('thread-2').get().text).toBe('also refused')
  })

  test.each(['', '{', 'null', '7', '{"text":7,"editing":{"messageId":1}}'])('%j in storage is an empty draft', async (stored) => {
    items.set('parley:draft:thread-1', stored)
    const page = await openPage()
    expect(page.draftOf('thread-1').get()).toEqual(nothing)
  })

  test('work without storage', async () => {
    vi.stubGlobal('localStorage', undefined)
    const page = await openPage()
    page.setDraft('thread-1', { text: 'kept for as long as the page' })
    page.leave()
    expect(page.draftOf('thread-1').get().text).toBe('kept for as long as the page')
  })

  test('are forgotten on signing out, and only they', async () => {
    items.set('parley:sidebar', 'open')
    const page = await openPage()
    page.setDraft('thread-1', { text: 'private' })
    page.leave()
    page.forgetDrafts()
    page.leave()
    expect(Array.from(items.keys())).toEqual(['parley:sidebar'])
    expect(page.draftOf('thread-1').get().text).toBe('')
  })
})

test('the draft of a thread that is gone leaves the page and the storage, and no other does', async () => {
  const { setDraft, draftOf, draftedThreads, forgetDraft, leave } = await openPage()
  setDraft('thread-gone', { text: 'secret' })
  setDraft('thread-here', { text: 'kept' })
  leave()
  setDraft('thread-gone', { text: 'secret, and not written yet' })
  forgetDraft('thread-gone')
  leave()
  expect(draftOf('thread-gone').get()).toEqual(nothing)
  expect(draftedThreads()).toEqual(['thread-here'])
  expect([...items.keys()]).toEqual(['parley:draft:thread-here'])
})
