// A message that is taken out of the queue to be edited, in a page that closes before the server answers.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refusal } from '../../../../../worker/contract/errors.ts'
import { mutators } from '../../../../../worker/contract/mutators.ts'
import { stubLocalStorage } from '../../local-storage.ts'

let items: Map<string, string>
beforeEach(() => {
  items = stubLocalStorage()
})
afterEach(() => {
  vi.resetModules()
  vi.unstubAllGlobals()
})

const removal = mutators.queue.remove({ id: 'q' })

test('is not sent again by the next page because its first sending was not confirmed', async () => {
  const { removed } = await import('../../../../../web/features/chat/queue/queue.tsx')
  const { addUnsent } = await import('../../../../../web/features/chat/composer/outbox.ts')
  const choices = { mode: 'chat', modelId: null, comparedIds: [], effort: null } as const
  const queued = { threadId: 't', text: 'Hello', files: [], choices, startsThread: false, isTemporary: false, editing: null, sentAtMs: 5 }
  for (const messageId of ['q', 'other']) addUnsent({ ...queued, messageId })
  const never = new Promise<never>(() => undefined)
  void removed(() => ({ client: never, server: never }), removal)
  expect([...items.keys()]).toEqual(['parley:unsent:other'])
})

test('was sent first: the next page says so, and is silent if it was removed', async () => {
  const toaster = await import('../../../../../web/ui/toaster.tsx')
  const toast = vi.spyOn(toaster, 'toast').mockImplementation(() => undefined)
  const { report } = await import('../../../../../web/routes/resend-writes.tsx')
  const { writeOf } = await import('../../../../../web/sync/outbox.ts')
  const write = writeOf(removal, false)
  for (const loss of ['gone', refusal('not_found')] as const) report(write, loss)
  expect(toast.mock.calls).toEqual([])
  report(write, 'changed')
  expect(toast.mock.calls).toEqual([
    ['error', 'This message was sent or removed before you could edit it. Its text is in the message field.'],
  ])
})
