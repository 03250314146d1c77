/** Messages that the server refused after their page had closed. Their text returns to the composer. */
import { parseFiles } from '../../../../worker/contract/files/files.ts'
import { idSchema } from '../../../../worker/contract/ids.ts'
import { newThreadKey } from '../../../../worker/contract/threads/draft-key.ts'
import type { Write } from '../../../sync/outbox.ts'
import { noMessage } from '../../../sync/repeatable-writes.ts'
import type { Loss } from '../../../sync/resend-writes.tsx'
import { parseChoices, parseEditing } from './draft.ts'
import { draftOf, isEmpty, offerMessage, setDraft } from './drafts.ts'
import { returnedTo, type UnsentDraft } from './returned.ts'
import { t } from './texts/en.ts'

export const isMessage = ({ name }: Write): boolean => name === 'threads.send' || name === 'queue.add'

export function returnMessage({ args, saw, draft: stored }: Write, loss: Loss): void {
  // It has arrived.
  if (loss === 'changed') return
  const { choices, editing, isTemporary } = (stored ?? {}) as { readonly [field in keyof UnsentDraft]?: unknown }
  const [text, files] = [typeof args.text === 'string' ? args.text : '', parseFiles(args.files)]
  const wasDeleted = loss === 'gone' || loss.code === 'not_found'
  const threadId = idSchema.safeParse(args.threadId).data
  const isNewThread = threadId === undefined || wasDeleted || saw.includes(noMessage.asFirst)
  const draftKey = isNewThread ? newThreadKey : threadId
  const draft = draftOf(draftKey).get()
  const content = { text, files, choices: parseChoices(choices), editing: isNewThread ? null : parseEditing(editing) }
  // The sending page may have restored the text before it closed, or another device may have saved the text as a draft.
  const isReturned = draft.text === text && draft.files.length === files.length
  // The text of a temporary thread is only offered, because this composer may start a thread that is kept.
  const isKept = isTemporary !== true
  if (isKept && !isReturned) {
    if (isEmpty(draft) && !draft.editing) setDraft(draftKey, content)
    else offerMessage(draftKey, content)
  }
  const message = t(!isKept ? 'temporaryNotAccepted' : wasDeleted ? 'deletedThread' : 'notAccepted')
  returnedTo(draftKey).set({ message, unsent: isKept ? null : content })
}
