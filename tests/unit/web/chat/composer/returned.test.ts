// A message that is refused after its page has closed.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Loss } from '../../../../../web/sync/resend-writes.tsx'
import { refusal } from '../../../../../worker/contract/errors.ts'
import { stubLocalStorage } from '../../local-storage.ts'

beforeEach(() => {
  stubLocalStorage()
  vi.resetModules()
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const choices = { mode: 'research', modelId: 'm1', comparedIds: ['m2'], effort: 'high' } as const
const editing = { messageId: 'old', parentId: null }
const content = { text: 'Hello', files: [], choices }
const write = {
  name: 'threads.send',
  args: { threadId: 't', text: 'Hello' },
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
  expect(page.draft('t')).toMatchObject({ ...content, editing })
  expect(page.returnedTo('t').get()).toMatchObject({ unsent: null })
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

test('is offered if the composer is in use, or if the chat was temporary', async () => {
  const page = await open()
  page.setDraft('t', { text: 'Something new' })
  page.returnMessage(write, refused)
  expect(page.draft('t').text).toBe('Something new')
  expect(page.returnedTo('t').get()).toMatchObject({ unsent: { ...content, editing } })
  page.returnMessage({ ...write, draft: { ...write.draft, isTemporary: true } }, 'gone')
  expect(page.draft('new').text).toBe('')
  expect(page.returnedTo('new').get()).toMatchObject({ unsent: content })
})

test('is not returned twice, and not if it has arrived', async () => {
  const page = await open()
  page.returnMessage(write, 'changed')
  expect(page.draft('t').text).toBe('')
  page.setDraft('t', { text: 'Hello' })
  page.returnMessage(write, refused)
  expect(page.returnedTo('t').get()).toMatchObject({ unsent: null })
})

test.each([undefined, {}, { choices: 'chat' }, { choices: { mode: 'magic', modelId: 7, comparedIds: 'm2', effort: 'huge' }, editing: 7 }])(
  'a message without readable choices has the defaults: %j',
  async (draft) => {
    const page = await open()
    page.returnMessage({ name: write.name, args: write.args, saw: write.saw, ...(draft && { draft }) }, refused)
    expect(page.draft('t')).toMatchObject({
      text: 'Hello',
      choices: { mode: 'chat', modelId: null, comparedIds: [], effort: null },
      editing: null,
    })
  },
)

test('the next user does not find it', async () => {
  const page = await open()
  const { deleteLocalUserData } = await import('../../../../../web/lib/local-user-data.ts')
  page.setDraft('t', { text: 'Something new' })
  page.returnMessage(write, refused)
  deleteLocalUserData()
  expect(page.returnedTo('t').get()).toBeNull()
})
