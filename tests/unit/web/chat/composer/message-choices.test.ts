/** A choice for one message ends with that message, however the composer unmounts. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Message } from '../../../../../web/features/chat/composer/draft.ts'
import { isNewThread, newDraftKey, newThreadKey, sentRevision, temporaryKey } from '../../../../../worker/contract/threads/draft-key.ts'
import { createRng } from '../../../../support/rng.ts'
import { stubWebStorage } from '../../local-storage.ts'
import { type Browser, openBrowser } from '../../pages.ts'

const load = async () => ({
  ...(await import('../../../../../web/features/chat/composer/begin-editing.ts')),
  ...(await import('../../../../../web/features/chat/composer/drafts.ts')),
  ...(await import('../../../../../web/features/chat/composer/write-draft.ts')),
})
type Page = Awaited<ReturnType<typeof openPage>>
const openPage = () => browser.openPage(load)
const openTab = () => {
  stubWebStorage('sessionStorage')
  return openPage()
}

let items: Map<string, string>
let browser: Browser
beforeEach(() => {
  vi.useFakeTimers()
  items = stubWebStorage('localStorage')
  browser = openBrowser()
})
afterEach(() => {
  vi.resetModules()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const choicesOf = (page: Page, key: string) => page.draftOf(key).get().choices
const defaults = {
  mode: 'chat',
  modelId: null,
  picked: null,
  switchedFrom: null,
  keepsModel: false,
  comparedIds: [],
  effort: null,
  offTools: null,
  origins: [],
} as const

async function reload(page: Page): Promise<Page> {
  page.leave()
  const next = await openPage()
  page.end()
  return next
}

test('choices survive a reload with their thread, and leave nothing in storage once they are undone', async () => {
  const page = await openTab()
  page.choose('thread-1', { mode: 'research', modelId: 'm1', comparedIds: ['m2'] })
  const next = await reload(page)
  expect([choicesOf(next, 'thread-1').mode, choicesOf(next, 'thread-2')]).toEqual(['research', defaults])
  next.choose('thread-1', defaults)
  next.leave()
  expect(items.size).toBe(0)
})

test('Search, Research and switched-off tools end with their message; the next thread has the defaults', async () => {
  const page = await openTab()
  for (const mode of ['search', 'research'] as const) {
    page.choose(newThreadKey, { mode, modelId: 'm1', comparedIds: ['m2'], effort: 'high', offTools: ['web'] })
    page.takeMessage(newThreadKey, `thread-${mode}`)
    expect([choicesOf(page, `thread-${mode}`), choicesOf(page, newThreadKey)]).toEqual([defaults, defaults])
    expect(choicesOf(await reload(page), `thread-${mode}`)).toEqual(defaults)
  }
})

test('choices move between a new thread and a temporary thread with their text, and stay behind with a text that cannot move', async () => {
  const page = await openTab()
  page.choose(newThreadKey, { mode: 'search', modelId: 'm1', comparedIds: ['m2'], effort: 'high' })
  page.moveDraft(newThreadKey, temporaryKey)
  expect([choicesOf(page, newThreadKey), choicesOf(page, temporaryKey).modelId]).toEqual([defaults, 'm1'])
  page.setDraft(newThreadKey, { text: 'another text' })
  page.moveDraft(temporaryKey, newThreadKey)
  expect([choicesOf(page, newThreadKey), choicesOf(page, temporaryKey).modelId]).toEqual([defaults, 'm1'])
})

test('the choices of a refused first message return with it to the new thread', async () => {
  const page = await openTab()
  page.choose(newThreadKey, { mode: 'search', modelId: 'm1', effort: 'high' })
  page.setDraft(newThreadKey, { text: 'refused' })
  const message = page.takeMessage(newThreadKey, 'thread-1')
  page.returnMessage('thread-1', message)
  page.moveDraft('thread-1', newThreadKey)
  expect(page.draftOf(newThreadKey).get()).toMatchObject({ text: 'refused', choices: { mode: 'search', modelId: 'm1', effort: 'high' } })
  expect(choicesOf(page, 'thread-1')).toEqual(defaults)
})

test('a model that was picked for the thread stays after a message, after a model for one message, while editing and after a reload', async () => {
  const page = await openTab()
  const picked = { modelId: 'm1', answerId: 'a1' }
  page.choose('thread-1', { picked })
  page.choose('thread-1', { modelId: 'm2' })
  page.takeMessage('thread-1', 'thread-1')
  expect(choicesOf(page, 'thread-1')).toEqual({ ...defaults, picked })
  page.beginEditing('thread-1', { messageId: 'message-1', parentId: null }, { text: 'old', files: [], mode: 'chat', origins: [] })
  expect(page.takeMessage('thread-1', 'thread-1').choices.picked).toEqual(picked)
  expect(choicesOf(await reload(page), 'thread-1')).toEqual({ ...defaults, picked })
})

test('an edited message has choices of its own; those of the draft wait for the draft', async () => {
  const page = await openTab()
  page.setDraft('thread-1', { text: 'half a thought' })
  page.choose('thread-1', { mode: 'search', modelId: 'm1' })
  page.beginEditing('thread-1', { messageId: 'message-1', parentId: null }, { text: 'old', files: [], mode: 'chat', origins: [] })
  expect(choicesOf(page, 'thread-1')).toEqual(defaults)
  page.choose('thread-1', { comparedIds: ['m2'] })
  expect(page.takeMessage('thread-1', 'thread-1').choices).toEqual({ ...defaults, comparedIds: ['m2'] })
  expect(choicesOf(page, 'thread-1')).toEqual({ ...defaults, mode: 'search', modelId: 'm1' })
})

test('choices end with their draft when its message is sent on another device', async () => {
  const page = await openTab()
  const synced = { revision: 'r1', text: 'a', pendingRevisions: [] }
  page.setDraft('thread-1', { text: 'a', synced })
  page.choose('thread-1', { mode: 'search', modelId: 'm1' })
  page.acceptRow('thread-1', { revision: sentRevision('r1'), text: '' }, 'replaceText')
  expect(choicesOf(page, 'thread-1')).toEqual(defaults)
})

test('the servers whose prompts are in a text stay with it: in a message that is edited, and in the draft of another device', async () => {
  const page = await openTab()
  page.setDraft('thread-1', { text: 'a prompt', choices: { ...defaults, origins: ['notes'] } })
  const row = { revision: 'r2', text: 'another prompt', origins: ['mail'] }
  page.acceptRow('thread-1', row, 'acceptRevision')
  expect(choicesOf(page, 'thread-1').origins).toEqual(['notes'])
  page.acceptRow('thread-1', row, 'replaceText')
  expect(choicesOf(page, 'thread-1').origins).toEqual(['mail'])
  const edited = { text: 'old', files: [], mode: 'chat', origins: ['file'] } as const
  page.beginEditing('thread-1', { messageId: 'message-1', parentId: null }, edited)
  expect(page.takeMessage('thread-1', 'thread-1').choices.origins).toEqual(['file'])
  expect(page.takeMessage('thread-1', 'thread-1').choices.origins).toEqual(['mail'])
  expect(choicesOf(page, 'thread-1')).toEqual(defaults)
})

test('the choices of a temporary thread are not stored, also after its first message', async () => {
  const page = await openTab()
  page.choose(temporaryKey, { mode: 'search', modelId: 'm1' })
  page.takeMessage(temporaryKey, 'thread-1')
  page.choose('thread-1', { modelId: 'm2' })
  page.leave()
  expect(items.size).toBe(0)
})

test('signing out deletes them; unreadable values are the defaults', async () => {
  const stored = {
    key: 'thread-1',
    pageId: 'closed',
    text: 'kept',
    files: [],
    choices: { mode: 'magic', modelId: 7, comparedIds: [7, 'm2'], offTools: [7, 'web'], origins: [7, 'notes'] },
  }
  items.set('parley:draft:thread-1.closed', JSON.stringify(stored))
  const page = await openTab()
  await vi.advanceTimersByTimeAsync(0)
  expect(choicesOf(page, 'thread-1')).toEqual({ ...defaults, comparedIds: ['m2'], offTools: ['web'], origins: ['notes'] })
  page.deleteDrafts()
  page.leave()
  expect([choicesOf(page, 'thread-1'), items.size]).toEqual([defaults, 0])
})

/** `refused`: a message that was not accepted while the composer held another text, until the user takes it. */
type Tab = { page: Page; readonly session: object; key: string; refused: { readonly key: string; readonly message: Message } | null }

const seeds = Array.from({ length: 40 }, (_, index) => index)

test.each(seeds)('in a random history, at most one accepted message uses each choice (seed %i)', async (seed) => {
  const rng = createRng(seed)
  let count = 0
  const next = (prefix: string) => `${prefix}-${count++}`
  const threads = ['thread-a', 'thread-b']
  const usedIds = new Set<string>()
  const chosenModes = { search: 0, research: 0 }
  const acceptedModes = { search: 0, research: 0 }
  const history: string[] = []
  const tabs: Tab[] = []

  const openTabOf = async (): Promise<Tab> => {
    stubWebStorage('sessionStorage')
    const page = await openPage()
    // The stubbed locks belong to the newest page, so each page requests its lock before the next one opens.
    page.choose('any', { effort: 'high' })
    vi.advanceTimersByTime(1000)
    page.choose('any', { effort: null })
    return { page, session: globalThis.sessionStorage, key: newThreadKey, refused: null }
  }

  const accept = (message: Message) => {
    const { mode, modelId, comparedIds } = message.choices
    for (const id of [modelId, ...comparedIds]) {
      if (id === null) continue
      expect(usedIds, `${id}: ${history.join(', ')}`).not.toContain(id)
      usedIds.add(id)
    }
    // An edited message is answered in its mode again.
    if (mode === 'chat' || message.editing) return
    acceptedModes[mode] += 1
    expect(acceptedModes[mode], `${mode}: ${history.join(', ')}`).toBeLessThanOrEqual(chosenModes[mode])
  }
  const send = (tab: Tab) => {
    const { page, key } = tab
    if (page.isEmpty(page.draftOf(key).get())) return
    const startsThread = isNewThread(key)
    const threadId = startsThread ? next('thread') : key
    const message = page.takeMessage(key, threadId)
    tab.key = threadId
    if (rng.chance(0.6)) {
      if (key === newThreadKey) threads.push(threadId)
      return accept(message)
    }
    history.push('(refused)')
    if (rng.chance(0.5)) page.setDraft(threadId, { text: next('typed') })
    if (page.isEmpty(page.draftOf(threadId).get())) page.returnMessage(threadId, message)
    else tab.refused = { key: startsThread ? key : threadId, message }
    if (!startsThread) return
    page.moveDraft(threadId, key)
    tab.key = key
  }
  const isEdited = ({ page, key }: Tab) => page.draftOf(key).get().editing !== null
  const offerOf = ({ page }: Tab) => [...page.offeredDrafts.get().keys()][0] ?? ''
  const ways: { readonly [way: string]: (tab: Tab) => void | Promise<void> } = {
    type: ({ page, key }) => page.setDraft(key, { text: next('text') }),
    clear: ({ page, key }) => page.setDraft(key, { text: '' }),
    chooseModel: ({ page, key }) => page.choose(key, { modelId: next('model') }),
    compare: ({ page, key }) => page.choose(key, { comparedIds: [next('model'), next('model')] }),
    chooseMode: ({ page, key }) => {
      const mode = rng.pick(['chat', 'search', 'research'] as const)
      if (mode !== 'chat') chosenModes[mode] += 1
      page.choose(key, { mode })
    },
    send,
    openThread: (tab) => {
      tab.key = rng.pick(threads)
    },
    newThread: (tab) => {
      tab.key = newThreadKey
    },
    newTemporaryChat: (tab) => {
      tab.key = temporaryKey
    },
    toggleTemporary: (tab) => {
      if (!isNewThread(tab.key)) return
      const to = newDraftKey(tab.key === newThreadKey)
      tab.page.moveDraft(tab.key, to)
      tab.key = to
    },
    edit: ({ page, key }) => {
      if (threads.includes(key))
        page.beginEditing(
          key,
          { messageId: next('message'), parentId: null },
          { text: next('old'), files: [], mode: 'search', origins: [] },
        )
    },
    cancelEdit: (tab) => {
      if (isEdited(tab)) tab.page.endEditing(tab.key)
    },
    takeRefused: (tab) => {
      if (!tab.refused) return
      const { key, message } = tab.refused
      tab.page.setAside(key, tab.page.draftOf(key).get())
      tab.page.returnMessage(key, message)
      tab.refused = null
    },
    askInPalette: ({ page }) => page.replaceDraft(newThreadKey, { text: next('question') }),
    editQueued: ({ page, key }) => {
      if (threads.includes(key)) page.replaceDraft(key, { text: next('queued') })
    },
    useOffer: (tab) => tab.page.restoreOffered(offerOf(tab)),
    dismissOffer: (tab) => tab.page.dismissOffered(offerOf(tab)),
    sendOnOtherDevice: (tab) => {
      if (!isEdited(tab)) tab.page.acceptRow(tab.key, { revision: next('revision'), text: '' }, 'replaceText')
    },
    deleteThread: (tab) => {
      if (isNewThread(tab.key)) return
      for (const { page } of tabs) page.deleteDraft(tab.key)
      tab.key = newThreadKey
    },
    reload: async (tab) => {
      tab.page = await reload(tab.page)
      tab.refused = null
    },
    secondTab: async () => {
      if (tabs.length < 3) tabs.push(await openTabOf())
    },
    closeTab: (tab) => {
      if (tabs.length === 1) return
      tabs.splice(tabs.indexOf(tab), 1)
      tab.page.leave()
      tab.page.end()
      for (const { page } of tabs) page.look()
    },
  }
  tabs.push(await openTabOf())
  for (let step = 0; step < 200; step += 1) {
    const tab = rng.pick(tabs)
    vi.stubGlobal('sessionStorage', tab.session)
    const way = rng.chance(0.5) ? rng.pick(['type', 'chooseModel', 'send']) : rng.pick(Object.keys(ways))
    history.push(way)
    await ways[way]?.(tab)
    await vi.advanceTimersByTimeAsync(1000)
    const stored = JSON.stringify([...items.values()])
    for (const { page } of tabs) {
      const { text, choices } = page.draftOf(temporaryKey).get()
      for (const secret of [text, choices.modelId, ...choices.comparedIds])
        if (secret) expect(stored, history.join(', ')).not.toContain(`"${secret}"`)
    }
  }
  expect(usedIds.size).toBeGreaterThan(0)
})
