/** Messages that the server refused after their page had closed. Their text returns to the composer. */
import { parseFiles } from '../../../../worker/contract/files/files.ts'
import { newThreadKey } from '../../../../worker/contract/threads/draft-key.ts'
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createStores } from '../../../lib/store.ts'
import type { Write } from '../../../sync/outbox.ts'
import { noMessage } from '../../../sync/repeatable-writes.ts'
import type { Loss } from '../../../sync/resend-writes.tsx'
import { type Content, type Editing, type MessageChoices, parseChoices, parseEditing } from './draft.ts'
import { draftOf, isEmpty, setDraft } from './drafts.ts'
import { t } from './texts/en.ts'

/** Stored with the write of a message. */
export type UnsentDraft = {
  readonly choices: MessageChoices
  /** The message that this one edits. */
  readonly editing: Editing | null
  readonly isTemporary: boolean
}

/** Why a message was returned to the composer. `unsent`: its content, if the composer was in use. */
export type Returned = { readonly message: string; readonly unsent: (Content & Pick<UnsentDraft, 'editing'>) | null }

const returned = createStores<Returned | null>(() => null)

/** By the key of the draft that received the message. */
export const returnedTo = returned.of

export const isMessage = ({ name }: Write): boolean => name === 'threads.send' || name === 'queue.add'

export function returnMessage({ args, saw, draft: stored }: Write, loss: Loss): void {
  // It has arrived.
  if (loss === 'changed') return
  const { choices, editing, isTemporary } = (stored ?? {}) as { readonly [field in keyof UnsentDraft]?: unknown }
  const [text, files] = [typeof args.text === 'string' ? args.text : '', parseFiles(args.files)]
  const wasDeleted = loss === 'gone' || loss.code === 'not_found'
  const isNewThread = wasDeleted || saw.includes(noMessage.asFirst)
  const draftKey = isNewThread ? newThreadKey : String(args.threadId)
  const draft = draftOf(draftKey).get()
  const content = { text, files, choices: parseChoices(choices), editing: isNewThread ? null : parseEditing(editing) }
  // The sending page may have restored the text before it closed, or another device may have saved the text as a draft.
  const isReturned = draft.text === text && draft.files.length === files.length
  // The text of a temporary chat is only offered, because this composer may start a thread that is kept.
  const isFree = isTemporary !== true && (isReturned || (isEmpty(draft) && !draft.editing))
  if (isFree && !isReturned) setDraft(draftKey, content)
  const message = t(isTemporary === true ? 'temporaryNotAccepted' : wasDeleted ? 'deletedThread' : 'notAccepted')
  returnedTo(draftKey).set({ message, unsent: isFree ? null : content })
}

// The next user must not find these texts.
onLocalDataDeletion(() => {
  for (const store of returned.all()) store.set(null)
})
