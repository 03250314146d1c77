// Unconfirmed texts, as pending operations (pending-operations.test.ts).
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stubLocalStorage } from '../../local-storage.ts'
import { type Browser, openBrowser } from '../../pages.ts'

const load = () => import('../../../../../web/features/chat/composer/outbox.ts')

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
type Page = Awaited<ReturnType<typeof openPage>>
const leftTo = ({ orphanedUnsent }: Page) => [...orphanedUnsent.get().values()]
const choices = { mode: 'research', modelId: 'm1', comparedIds: ['m2'], effort: 'high' } as const
const content = { text: 'Hello', files: [], choices, startsThread: false, isTemporary: false, editing: null } as const
const hello = { messageId: 'm', threadId: 't', ...content, sentAtMs: 5 } as const

test('a text survives its page', async () => {
  const page = await openPage()
  page.addUnsent(hello)
  expect(leftTo(page)).toEqual([])
  page.end()
  expect(leftTo(await openPage())).toEqual([hello])
})

test('a text without readable choices has the defaults', async () => {
  const unreadable = [undefined, null, 'chat', { mode: 'magic', modelId: 7, comparedIds: 'm2', effort: 'huge' }]
  for (const [index, each] of unreadable.entries())
    items.set(`parley:unsent:${index}`, JSON.stringify({ ...hello, pageId: 'closed', choices: each }))
  const defaults = { mode: 'chat', modelId: null, comparedIds: [], effort: null }
  expect(leftTo(await openPage()).map((unsent) => unsent.choices)).toEqual(unreadable.map(() => defaults))
})

test('it is deleted when it is confirmed, and on signing out', async () => {
  const page = await openPage()
  page.addUnsent(hello)
  page.addUnsent({ ...hello, messageId: 'n' })
  page.resolveUnsent('m')
  page.returnedTo('t').set({ message: 'Not accepted.', unsent: null })
  items.set('parley:draft:t', 'kept')
  page.end()
  const next = await openPage()
  expect(leftTo(next).map(({ messageId }) => messageId)).toEqual(['n'])
  next.returnedTo('t').set({ message: 'Not accepted.', unsent: null })
  next.deleteAllUnsent()
  expect(leftTo(next)).toEqual([])
  expect([...items.keys()]).toEqual(['parley:draft:t'])
  expect(next.returnedTo('t').get()).toBeNull()
})

test('a message is pending in its page and after its page has closed, until it is confirmed', async () => {
  const page = await openPage()
  const published: string[][] = []
  page.unsentIds.subscribe(() => published.push([...page.unsentIds.get()]))
  page.addUnsent(hello)
  expect([...(await openPage()).unsentIds.get()]).toEqual(['m'])
  page.addUnsent({ ...hello, messageId: 'n' })
  page.abandonUnsent('n')
  page.resolveUnsent('m')
  page.deleteAllUnsent()
  expect(published).toEqual([['m'], ['m', 'n'], ['n'], []])
})

test.each(['', '{', 'null', '7', '{}', '{"messageId":"m","pageId":""}'])('%j in storage is ignored, and hides nothing', async (stored) => {
  items.set('parley:unsent:garbled', stored)
  const page = await openPage()
  page.addUnsent(hello)
  page.end()
  expect(leftTo(await openPage()).map(({ messageId }) => messageId)).toEqual(['m'])
})

test('an abandoned message becomes an orphan at once, also in its page', async () => {
  const page = await openPage()
  page.addUnsent(hello)
  page.abandonUnsent('m')
  expect(leftTo(page)).toEqual([hello])
  page.resolveUnsent('m')
  page.abandonUnsent('m')
  expect(leftTo(page)).toEqual([])
})
