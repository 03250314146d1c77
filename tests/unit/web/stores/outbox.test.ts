// Texts that were sent and not confirmed: kept over a reload, left alone while their page is open, gone when they are confirmed.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLocalStorage } from './local-storage.ts'

type Outbox = typeof import('../../../../web/stores/outbox.ts')

/** Locks by name, as all pages of a browser see them. */
let held: Set<string>
let items: Map<string, string>

beforeEach(() => {
  held = new Set()
  items = stubLocalStorage()
  vi.stubGlobal('navigator', {
    locks: {
      request: async (name: string) => void held.add(name),
      query: async () => ({ held: [...held].map((name) => ({ name })) }),
    },
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

/** A page: the module anew, over the same browser. */
async function openPage(): Promise<Outbox> {
  vi.resetModules()
  return import('../../../../web/stores/outbox.ts')
}
const hello = { messageId: 'm', threadId: 't', text: 'Hello', files: [], mode: 'research', sentAtMs: 5 } as const

test('a text outlives its page', async () => {
  const page = await openPage()
  page.keepUnsent(hello)
  held.clear()
  expect(await (await openPage()).unsentLeft()).toEqual([{ ...hello, pageId: expect.any(String) }])
})

test('one that does not say how it was to be answered was chat', async () => {
  for (const mode of [undefined, 'magic']) items.set(`parley:unsent:${mode}`, JSON.stringify({ ...hello, pageId: 'closed', mode }))
  expect((await (await openPage()).unsentLeft()).map(({ mode }) => mode)).toEqual(['chat', 'chat'])
})

test('it is nobody else’s business while its page is open, nor its own page’s', async () => {
  const page = await openPage()
  page.keepUnsent(hello)
  expect(await page.unsentLeft()).toEqual([])
  expect(await (await openPage()).unsentLeft()).toEqual([])
})

test('it is gone when it was confirmed, and with everything else on signing out', async () => {
  const page = await openPage()
  page.keepUnsent(hello)
  page.keepUnsent({ ...hello, messageId: 'n' })
  page.forgetUnsent('m')
  page.returnedTo('t').set({ message: 'Not accepted.', unsent: null })
  items.set('parley:draft:t', 'kept')
  held.clear()
  const next = await openPage()
  expect((await next.unsentLeft()).map(({ messageId }) => messageId)).toEqual(['n'])
  page.forgetAllUnsent()
  expect(await next.unsentLeft()).toEqual([])
  expect([...items.keys()]).toEqual(['parley:draft:t'])
  expect(page.returnedTo('t').get()).toBeNull()
})

test('who looks at a message learns whether it waits: of this page, of a page that is gone, and no more once it is confirmed', async () => {
  const page = await openPage()
  const heard: string[][] = []
  page.unsentIds.subscribe(() => heard.push([...page.unsentIds.get()]))
  page.keepUnsent(hello)
  expect([...(await openPage()).unsentIds.get()]).toEqual(['m'])
  page.keepUnsent({ ...hello, messageId: 'n' })
  page.leaveUnsent('n')
  page.forgetUnsent('m')
  page.forgetAllUnsent()
  expect(heard).toEqual([['m'], ['m', 'n'], ['n'], []])
})

test.each(['', '{', 'null', '7', '{}', '{"messageId":"m"}'])('%j in storage is nothing, and hides nothing', async (stored) => {
  items.set('parley:unsent:garbled', stored)
  const page = await openPage()
  page.keepUnsent(hello)
  held.clear()
  expect((await (await openPage()).unsentLeft()).map(({ messageId }) => messageId)).toEqual(['m'])
})

test('without locks, what another page left is taken care of; without storage nothing is', async () => {
  const page = await openPage()
  page.keepUnsent(hello)
  vi.stubGlobal('navigator', {})
  expect(await (await openPage()).unsentLeft()).toHaveLength(1)
  vi.stubGlobal('localStorage', undefined)
  page.keepUnsent(hello)
  expect(await (await openPage()).unsentLeft()).toEqual([])
})

test('what nobody waits for any more is looked after at once, in its own page too', async () => {
  const page = await openPage()
  page.keepUnsent(hello)
  const before = page.leftCount.get()
  page.leaveUnsent('m')
  expect(page.leftCount.get()).toBe(before + 1)
  expect((await page.unsentLeft()).map(({ messageId }) => messageId)).toEqual(['m'])
  page.forgetUnsent('m')
  page.leaveUnsent('m')
  expect(await page.unsentLeft()).toEqual([])
})
