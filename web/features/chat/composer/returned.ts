/** Messages of closed pages that returned to the composer (`return-message.ts`). */
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createStores } from '../../../lib/store.ts'
import type { Content, Editing, MessageChoices } from './draft.ts'

/** Stored with the write of a message. */
export type UnsentDraft = {
  readonly choices: MessageChoices
  /** The message that this one edits. */
  readonly editing: Editing | null
  readonly isTemporary: boolean
}

/** Why a message was returned to the composer. `unsent`: the content of a message of a temporary thread, which is never stored. */
export type Returned = { readonly message: string; readonly unsent: (Content & Pick<UnsentDraft, 'editing'>) | null }

const returned = createStores<Returned | null>(() => null)

/** By the key of the draft that received the message. */
export const returnedTo = returned.of

// The next user must not find these texts.
onLocalDataDeletion(() => {
  for (const store of returned.all()) store.set(null)
})
