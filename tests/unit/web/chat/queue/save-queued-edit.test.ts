// Saving the text of a queued message: the state of its editor after each response.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { changeQueuedEdit, closeQueuedEdit, openQueuedEdit, queuedEdits } from '../../../../../web/features/chat/queue/queued-edits.ts'
import { saveQueuedEdit } from '../../../../../web/features/chat/queue/save-queued-edit.ts'
import { pageId } from '../../../../../web/lib/pending-operations.ts'
import type { Outcome } from '../../../../../web/sync/outcome.ts'
import * as toaster from '../../../../../web/ui/toaster.tsx'
import { type RefusalCode, refusal } from '../../../../../worker/contract/errors.ts'

const toast = vi.spyOn(toaster, 'toast').mockImplementation(() => undefined)

const refused = (code: RefusalCode): Outcome => ({ ok: false, refusal: refusal(code) })
let server: PromiseWithResolvers<Outcome>
const editQueued = vi.fn(() => ({ client: Promise.resolve<Outcome>({ ok: true }), server: server.promise }))
const edit = () => queuedEdits.get().get('m')

beforeEach(() => {
  server = Promise.withResolvers()
  openQueuedEdit('m', 't', 'old')
  changeQueuedEdit('m', { text: 'new' })
})
afterEach(() => {
  closeQueuedEdit('m')
  vi.clearAllMocks()
})

test.each<[string, Outcome, string | undefined, number]>([
  ['is closed when it is saved', { ok: true }, undefined, 0],
  ['is open again when it is refused, with a notice', refused('message_empty'), 'open', 1],
  ['is open again when the message was changed elsewhere, which it says itself', refused('queued_changed'), 'open', 0],
  ['is open again without its message, so that the text is given back', refused('not_found'), 'open', 0],
  ['is saved again later when its outcome is unknown', { ok: true, isPending: true }, 'unacknowledged', 0],
])('an editor %s', async (_what, outcome, state, toasts) => {
  const saved = saveQueuedEdit({ editQueued }, 'm')
  expect(editQueued).toHaveBeenCalledExactlyOnceWith('m', { text: 'new', was: 'old', editorId: pageId })
  expect(edit()?.state).toBe('saving')
  server.resolve(outcome)
  await saved
  expect(edit()?.state).toBe(state)
  expect(toast).toHaveBeenCalledTimes(toasts)
})

test.each<[string, Outcome]>([
  ['saved', { ok: true }],
  ['refused', refused('queued_changed')],
])('one that was reopened meanwhile stays open when the first change is %s', async (_what, outcome) => {
  const saved = saveQueuedEdit({ editQueued }, 'm')
  openQueuedEdit('m', 't', 'new')
  changeQueuedEdit('m', { text: 'newer' })
  server.resolve(outcome)
  await saved
  expect(edit()).toEqual({ threadId: 't', text: 'newer', was: 'new', editorId: pageId, state: 'open' })
})
