// A message that is refused after its page has closed.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Loss } from '../../../../../web/sync/resend-writes.tsx'
import { refusal } from '../../../../../worker/contract/errors.ts'
import { stubLocalStorage } from '../../local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  items = stubLocalStorage()
  vi.resetModules()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const threadId = 'thread-of-it'
const choices = { mode: 'research', modelId: 'm1', comparedIds: ['m2'], effort: 'high' } as const
const editing = { messageId: 'old', parentId: null }
const content = { text: 'Hello', files: [], choices }
const write = {
  name: 'threads.send',
  args: { threadId, text: 'Hello' },
  saw: ['no message'],
  draft: { choices, editing, isTemporary: false },
} as const

async function open() {
  const [drafts, returned, { returnMessage }] = await Promise.all([
    import('../../../../../web/features/chat/composer/drafts.ts'),
    import('../../../../../web/features/chat/composer/returned.ts'),
    import('../../../../../web/features/chat/composer/return-message.ts'),
  ])
  return { ...drafts, ...returned, returnMessage, draft: (key: string) => drafts.draftOf(key).get() }
}
const refused = refusal('credits_exhausted')

test('returns to the composer of its thread, with its choices and the message that it edits', async () => {
  const page = await open()
  page.returnMessage(write, refused)
  expect(page.draft(threadId)).toMatchObject({ ...content, editing })
  expect(page.returnedTo(threadId).get()).toMatchObject({ unsent: null })
})

test.each<[string, Loss, readonly string[]]>([
  ['of a deleted thread', 'gone', write.saw],
  ['of a thread that the server does not find', refusal('not_found'), write.saw],
  ['that would have started its thread', refused, ['no message', 'no thread']],
])('a message %s returns to the composer of a new thread, and edits nothing', async (_what, loss, saw) => {
  const page = await open()
  page.returnMessage({ ...write, saw }, loss)
  expect(page.draft('new')).toMatchObject({ ...content, editing: null })
})

test('all are offered, and survive a reload, if the composer is in use; in memory only if the chat was temporary', async () => {
  const page = await open()
  page.setDraft(threadId, { text: 'Something new' })
  page.returnMessage(write, refused)
  page.returnMessage({ ...write, args: { threadId, text: 'Hello again' } }, refused)
  expect(page.draft(threadId).text).toBe('Something new')
  const offered = [...page.offeredDrafts.get().values()]
  expect(offered).toMatchObject([
    { ...content, editing, key: threadId },
    { ...content, editing, text: 'Hello again' },
  ])
  expect([...items.values()].map((item) => JSON.parse(item).text)).toEqual(expect.arrayContaining(['Hello', 'Hello again']))
  page.returnMessage({ ...write, draft: { ...write.draft, isTemporary: true } }, 'gone')
  expect(page.draft('new').text).toBe('')
  expect(page.returnedTo('new').get()).toMatchObject({ unsent: content })
})

test.each([undefined, 7, 'no id!', { toString: 1 }])(
  'returns to the composer of a new thread if its thread is unreadable: %j',
  async (damaged) => {
    const page = await open()
    page.returnMessage({ ...write, args: { threadId: damaged, text: 'Hello' } }, refusal('invalid_request'))
    expect(page.draft('new')).toMatchObject({ ...content, editing: null })
  },
)

test('is not returned twice, and not if it has arrived', async () => {
  const page = await open()
  page.returnMessage(write, 'changed')
  expect(page.draft(threadId).text).toBe('')
  page.setDraft(threadId, { text: 'Hello' })
  page.returnMessage(write, refused)
  expect(page.returnedTo(threadId).get()).toMatchObject({ unsent: null })
})

test.each([undefined, {}, { choices: 'chat' }, { choices: { mode: 'magic', modelId: 7, comparedIds: 'm2', effort: 'huge' }, editing: 7 }])(
  'a message without readable choices has the defaults: %j',
  async (draft) => {
    const page = await open()
    page.returnMessage({ name: write.name, args: write.args, saw: write.saw, ...(draft && { draft }) }, refused)
    expect(page.draft(threadId)).toMatchObject({
      text: 'Hello',
      choices: { mode: 'chat', modelId: null, comparedIds: [], effort: null },
      editing: null,
    })
  },
)

test('the next user does not find it', async () => {
  const page = await open()
  const { deleteLocalUserData } = await import('../../../../../web/lib/local-user-data.ts')
  page.setDraft(threadId, { text: 'Something new' })
  page.returnMessage(write, refused)
  deleteLocalUserData()
  expect(page.returnedTo(threadId).get()).toBeNull()
})
