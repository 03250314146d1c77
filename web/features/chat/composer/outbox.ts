/**
 * Sent messages that the server has not confirmed yet, by message id. The sync client stores and delivers the write; this stores the text, in
 * case the write is refused after its page was closed, or is lost with the page.
 */

import { type AttachedFile, parseFiles } from '../../../../worker/contract/files/files.ts'
import { idsWithPrefix } from '../../../lib/browser-storage.ts'
import { onLocalDataDeletion } from '../../../lib/local-user-data.ts'
import { createPendingOperations } from '../../../lib/pending-operations.ts'
import { createStore, createStores, type Store } from '../../../lib/store.ts'
import { type Editing, type MessageChoices, parseChoices, parseEditing } from './draft.ts'

/** The write, to repeat it once if the sync client had not stored it before its page was closed. The server parses the arguments. */
type UnsentWrite = { readonly kind: 'send' | 'queue'; readonly args: object }

export type Unsent = {
  readonly messageId: string
  readonly threadId: string
  readonly text: string
  /** Attached; uploaded already. */
  readonly files: readonly AttachedFile[]
  readonly choices: MessageChoices
  /** The thread had no row yet. */
  readonly startsThread: boolean
  readonly isTemporary: boolean
  /** The message that this one edits. */
  readonly editing: Editing | null
  /** By this browser's clock. The optimistic row has this time until the server replaces it. */
  readonly sentAtMs: number
  readonly write?: UnsentWrite
}

/** Why a message was returned to the composer. `unsent`: its content, if the composer was in use. */
export type Returned = { readonly message: string; readonly unsent: Pick<Unsent, 'text' | 'files' | 'choices' | 'editing'> | null }

const prefix = 'parley:unsent:'
const operations = createPendingOperations<Unsent>(prefix, parseUnsent)

const storedIds = (): ReadonlySet<string> => new Set(idsWithPrefix(prefix))

/** Ids of the unconfirmed messages of all pages of this browser. */
export const unsentIds: Store<ReadonlySet<string>> = createStore(storedIds())
const refreshIds = () => unsentIds.set(storedIds())
// A storage event reports a change by another page.
if (typeof window !== 'undefined') window.addEventListener('storage', ({ key }) => (key ?? prefix).startsWith(prefix) && refreshIds())

/** Messages whose outcome no page receives, by message id. */
export const orphanedUnsent: Store<ReadonlyMap<string, Unsent>> = operations.orphaned

export function addUnsent(unsent: Unsent): void {
  operations.add(unsent.messageId, unsent)
  refreshIds()
}

export function resolveUnsent(messageId: string): void {
  operations.resolve(messageId)
  refreshIds()
}

/** Treats the message as if its page were closed: `UnsentMessages` determines its outcome from the rows. */
export const abandonUnsent = (messageId: string): void => operations.abandon(messageId)

/** For signing out: the next user must not find these texts. */
export function deleteAllUnsent(): void {
  operations.clear()
  refreshIds()
  for (const store of returned.all()) store.set(null)
}

const returned = createStores<Returned | null>(() => null)

/** By the key of the draft that received the message. */
export const returnedTo = returned.of

function parseUnsent(value: object): Unsent | null {
  const { messageId, threadId, text, files, choices, startsThread, isTemporary, editing, sentAtMs } = value as {
    readonly [key in keyof Unsent]?: unknown
  }
  const isWhole = [messageId, threadId, text].every((field) => typeof field === 'string') && typeof sentAtMs === 'number'
  if (!isWhole) return null
  return {
    ...(value as Unsent),
    files: parseFiles(files),
    choices: parseChoices(choices),
    startsThread: startsThread === true,
    isTemporary: isTemporary === true,
    editing: parseEditing(editing),
  }
}

onLocalDataDeletion(deleteAllUnsent)
