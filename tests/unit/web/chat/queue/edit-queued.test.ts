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
  const { keep, writeOf } = await import('../../../../../web/sync/outbox.ts')
  const turn = { threadId: 't', answerId: 'a', modelId: 'x', at: 5, text: 'Hello' }
  for (const id of ['q', 'other']) void keep(writeOf(mutators.queue.add({ ...turn, id }), 'no message'), new Promise(() => undefined))
  const never = new Promise<never>(() => undefined)
  void removed(() => ({ client: never, server: never }), removal)
  expect([...items.keys()]).toEqual(['parley:write:message.other'])
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
